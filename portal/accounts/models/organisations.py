"""Organisations: who rents and pays."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from portal.toolkit.models import Numbered, NumberedQuerySet


class Organisation(Numbered):
    """A customer. Address, country and tax id feed the tax decision, so they must be complete before checkout. Spend is in minor units of `currency`."""

    NUMBER_PREFIX = "O"

    name = models.CharField(_("name"), max_length=120)
    legal_name = models.CharField(_("legal name"), max_length=200, blank=True)
    is_business = models.BooleanField(_("is a business"), default=True)
    street = models.CharField(_("street and number"), max_length=200, blank=True)
    city = models.CharField(_("city"), max_length=120, blank=True)
    postal_code = models.CharField(_("postal code"), max_length=20, blank=True)
    region = models.CharField(_("state or province"), max_length=80, blank=True)
    country = models.CharField(_("country"), max_length=2, blank=True)
    tax_id = models.CharField(_("tax id"), max_length=40, blank=True)
    billing_email = models.EmailField(_("e-mail for invoices"), blank=True)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    account_manager = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    spend_cap_minor = models.BigIntegerField(default=2_000_000)
    quantity_cap = models.PositiveIntegerField(default=8)
    payment_attempts_cap = models.PositiveIntegerField(default=10)
    created_at = models.DateTimeField()

    objects = NumberedQuerySet.as_manager()

    # No columns: the role of whoever asked for it, and his Membership, set by queries.access.
    role: str
    membership_id: int

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> str:
        """Where its page is."""
        return f"/organisations/{self.number}/"


class Membership(models.Model):
    """One person's role in one Organisation."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        ADMIN = "admin", _("admin")
        MEMBER = "member", _("member")
        BILLING = "billing", _("billing only")
        READER = "reader", _("read only")

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    joined_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organisation", "user"], name="accounts_one_membership_each")]
        ordering = ["id"]


class Invitation(models.Model):
    """An offer to join, sent by e-mail. Only the hash of its token is stored."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(_("e-mail"))
    role = models.CharField(max_length=10, choices=Membership.Role.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey("accounts.User", null=True, on_delete=models.SET_NULL, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-invited_at", "-id"]


class Project(models.Model):
    """A customer's own split of Bookings and cost centres."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="projects")
    name = models.CharField(_("name"), max_length=80)
    cost_centre = models.CharField(_("cost centre"), max_length=40, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organisation", "name"], name="accounts_project_name_once")]
        ordering = ["name", "id"]


class ApiToken(models.Model):
    """A named, scoped, expiring token of one person in one Organisation. Only the SHA-256 of the secret is stored; `prefix` helps to recognise it."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="api_tokens")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=60)
    prefix = models.CharField(max_length=12)
    token_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
