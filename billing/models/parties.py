"""Who sells and who pays."""

from __future__ import annotations

from django.db import models


class LegalEntity(models.Model):
    """A seller. Its country and tax ids drive the tax decision; `accounting_currency` is what its books are kept in."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    street = models.CharField(max_length=200)
    city = models.CharField(max_length=120)
    postal_code = models.CharField(max_length=20)
    region = models.CharField(max_length=80, blank=True)
    country = models.CharField(max_length=2)
    tax_id = models.CharField(max_length=40)
    email = models.EmailField()
    iban = models.CharField(max_length=40, blank=True)
    bic = models.CharField(max_length=20, blank=True)
    bank_name = models.CharField(max_length=120, blank=True)
    accounting_currency = models.CharField(max_length=3)
    time_zone = models.CharField(max_length=64, default="UTC")
    is_default = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["is_default"], condition=models.Q(is_default=True), name="billing_one_default_seller")]

    def __str__(self) -> str:
        return self.name


class BillingAccount(models.Model):
    """A customer as billing knows him: one per Organisation. `currency` fixes the currency of all his Documents; months are cut in `time_zone`."""

    organisation = models.OneToOneField("accounts.Organisation", on_delete=models.PROTECT, related_name="+")
    seller = models.ForeignKey(LegalEntity, on_delete=models.PROTECT, related_name="+")
    currency = models.CharField(max_length=3)
    time_zone = models.CharField(max_length=64, default="UTC")
    gateway_customer = models.CharField(max_length=60, blank=True)


class TaxIdCheck(models.Model):
    """One look at a tax id. Down is not invalid and not valid (money.md 6)."""

    class State(models.TextChoices):
        VALID = "valid"
        INVALID = "invalid"
        UNAVAILABLE = "unavailable"
        UNCHECKED = "unchecked"

    account = models.ForeignKey(BillingAccount, on_delete=models.CASCADE, related_name="tax_id_checks")
    tax_id = models.CharField(max_length=40)
    country = models.CharField(max_length=2)
    state = models.CharField(max_length=12, choices=State.choices)
    source = models.CharField(max_length=40)
    consultation = models.CharField(max_length=60, blank=True)
    checked_at = models.DateTimeField()

    class Meta:
        ordering = ["-checked_at", "-id"]


class TaxRule(models.Model):
    """One row of the tax decision. Empty `customer_country` matches any; more specific rows win. Rate in percent; days in the seller's zone."""

    seller_country = models.CharField(max_length=2)
    customer_country = models.CharField(max_length=2, blank=True)
    customer_region = models.CharField(max_length=80, blank=True)
    customer_group = models.CharField(max_length=20)  # domestic | eu_business | eu_consumer | world | any
    product_class = models.CharField(max_length=30, default="service")
    category = models.CharField(max_length=2)  # EN 16931: S, Z, E, AE, O, G
    rate = models.DecimalField(max_digits=6, decimal_places=3)
    note = models.CharField(max_length=200, blank=True)
    reason_code = models.CharField(max_length=40, blank=True)
    valid_from = models.DateField()
    valid_until = models.DateField(null=True, blank=True)
    source = models.CharField(max_length=200)

    class Meta:
        ordering = ["seller_country", "customer_country", "id"]
