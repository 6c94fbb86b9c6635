"""Prices, Agreements and what was served under them."""

from __future__ import annotations

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.db import models

from portal.toolkit import models as announcements
from portal.toolkit.models import Numbered, NumberedQuerySet


class Price(models.Model):
    """The list price of one sku in one currency from `valid_from` on. `rate` is per `unit` and unit of quantity, net.

    unit: hour (of one Unit), tb_hour. `granule_seconds` rounds a rental's duration up once; `minimum_seconds` is the least that is billed.
    """

    sku = models.CharField(max_length=60)
    currency = models.CharField(max_length=3)
    unit = models.CharField(max_length=10)
    rate = models.DecimalField(max_digits=20, decimal_places=6)
    granule_seconds = models.PositiveIntegerField(default=60)
    minimum_seconds = models.PositiveIntegerField(default=3600)
    product_class = models.CharField(max_length=30, default="service")
    valid_from = models.DateTimeField()
    source = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sku", "currency", "valid_from"], name="billing_price_once"),
            models.CheckConstraint(condition=models.Q(rate__gte=0), name="billing_price_not_negative"),
        ]
        ordering = ["sku", "currency", "-valid_from"]


class TermDiscount(models.Model):
    """`percent` off every line of a rental of at least `from_hours` absolute hours. The highest step reached applies."""

    from_hours = models.PositiveIntegerField(unique=True)
    percent = models.DecimalField(max_digits=5, decimal_places=2)

    class Meta:
        ordering = ["from_hours"]


class Agreement(Numbered):
    """What billing knows of a Booking: who pays, at which frozen prices, for how long, and an opaque reference and path that it only prints."""

    NUMBER_PREFIX = "A"

    class State(models.TextChoices):
        PENDING = "pending"  # waits for its payment
        OPEN = "open"
        ENDED = "ended"
        LAPSED = "lapsed"  # the hold ended first; a payment that still arrives is refunded

    account = models.ForeignKey("billing.BillingAccount", on_delete=models.PROTECT, related_name="agreements")
    reference = models.CharField(max_length=60, unique=True)
    path = models.CharField(max_length=200)
    title = models.CharField(max_length=200)
    project = models.CharField(max_length=80, blank=True)
    cost_centre = models.CharField(max_length=40, blank=True)
    purchase_order = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    currency = models.CharField(max_length=3)
    during = DateTimeRangeField()
    tax = models.JSONField()  # the frozen customer and tax decision per product class
    terms = models.JSONField(default=list)  # the term discounts as of the order: [[from_hours, "percent"]]
    net_minor = models.BigIntegerField()
    tax_minor = models.BigIntegerField()
    gross_minor = models.BigIntegerField()
    opened_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    objects = NumberedQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(gross_minor=models.F("net_minor") + models.F("tax_minor")), name="billing_agreement_sum")]
        ordering = ["-id"]
        indexes = [models.Index(fields=["account", "created_at"], name="billing_agreement_by_month")]


class AgreementLine(models.Model):
    """One sku of an Agreement at its frozen price. Amounts are net, in minor units; `discount_percent` is what the term or the Quote gave."""

    agreement = models.ForeignKey(Agreement, on_delete=models.PROTECT, related_name="lines")
    position = models.PositiveSmallIntegerField()
    sku = models.CharField(max_length=60)
    description = models.CharField(max_length=200)
    unit = models.CharField(max_length=10)
    quantity = models.DecimalField(max_digits=20, decimal_places=6)
    billed_hours = models.DecimalField(max_digits=20, decimal_places=6, default=0)  # quantity x hours, as printed
    rule = models.CharField(max_length=200, blank=True)
    rate = models.DecimalField(max_digits=20, decimal_places=6)
    discount_percent = models.DecimalField(max_digits=5, decimal_places=2, default=0)
    discount_from_terms = models.BooleanField(default=True)  # re-rated with the served length; a quoted discount stays
    granule_seconds = models.PositiveIntegerField()
    minimum_seconds = models.PositiveIntegerField()
    product_class = models.CharField(max_length=30)
    net_minor = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agreement", "position"], name="billing_agreement_line_once")]
        ordering = ["position"]


class UsageSegment(models.Model):
    """Served (or not served) time of one source under one AgreementLine. Append-only, half-open, UTC; `source` is unique, so a repeat adds nothing.

    `rental` groups the segments of one rented thing: the granule rounds its whole duration up once. kind: served | interrupted | unknown; only served
    time is billed.
    """

    line = models.ForeignKey(AgreementLine, on_delete=models.PROTECT, related_name="segments")
    source = models.CharField(max_length=120, unique=True)
    rental = models.CharField(max_length=80)
    during = DateTimeRangeField()
    quantity = models.DecimalField(max_digits=20, decimal_places=6)
    kind = models.CharField(max_length=12, default="served")
    evidence = models.JSONField(default=dict)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            ExclusionConstraint(
                name="billing_served_once",
                expressions=[("line", RangeOperators.EQUAL), ("rental", RangeOperators.EQUAL), ("during", RangeOperators.OVERLAPS)],
                condition=models.Q(kind="served"),
            ),
            models.CheckConstraint(condition=models.Q(during__isempty=False), name="billing_segment_has_a_length"),
            models.CheckConstraint(condition=models.Q(kind__in=["served", "interrupted", "unknown"]), name="billing_segment_kind"),
            models.CheckConstraint(condition=models.Q(quantity__gt=0), name="billing_segment_quantity"),
        ]
        ordering = ["id"]


class RatedItem(models.Model):
    """One rental of one line, rated at the end: seconds after granule and minimum, and the unrounded amount."""

    line = models.ForeignKey(AgreementLine, on_delete=models.PROTECT, related_name="rated_items")
    rental = models.CharField(max_length=80)
    served_seconds = models.BigIntegerField()
    billed_seconds = models.BigIntegerField()
    amount = models.DecimalField(max_digits=30, decimal_places=12)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["line", "rental"], name="billing_rated_once")]
        ordering = ["id"]


class Announcement(announcements.Announcement):
    """What billing says to rentals above: agreement_opened, agreement_lapsed_refunded, document_issued ..."""

    class Meta(announcements.Announcement.Meta):
        abstract = False
