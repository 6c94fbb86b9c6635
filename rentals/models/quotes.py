"""Quotes: priced, dated, versioned offers."""

from __future__ import annotations

from django.contrib.postgres.fields import DateTimeRangeField
from django.db import models
from django.utils.translation import gettext_lazy as _

from portal.toolkit.models import Numbered, NumberedQuerySet


class Quote(Numbered):
    """An offer to one Organisation. Its link carries the number signed with the portal's key, so that nobody guesses another. Prices are frozen when sent:
    `snapshot` is what the customer reads and what his Bookings are priced by, whatever the catalog says by then."""

    NUMBER_PREFIX = "Q"

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        SENT = "sent", _("sent")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        EXPIRED = "expired", _("expired")
        WITHDRAWN = "withdrawn", _("withdrawn")
        SUPERSEDED = "superseded", _("superseded")

    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.PROTECT, related_name="+")
    manager = models.ForeignKey("accounts.User", on_delete=models.PROTECT, related_name="+")
    version = models.PositiveSmallIntegerField(default=1)
    supersedes = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    state_since = models.DateTimeField()
    title = models.CharField(max_length=120)
    message = models.TextField(blank=True)
    internal_note = models.TextField(blank=True)
    currency = models.CharField(max_length=3)
    valid_until = models.DateTimeField()
    seller_zone = models.CharField(max_length=64, default="UTC")
    snapshot = models.JSONField(null=True)  # frozen lines, prices, tax preview as sent
    sent_at = models.DateTimeField(null=True)
    viewed_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    decided_by_name = models.CharField(max_length=120, blank=True)
    decided_by_role = models.CharField(max_length=120, blank=True)
    decided_from = models.GenericIPAddressField(null=True)
    decline_reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    objects = NumberedQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]


class QuoteLine(models.Model):
    """`quantity` x Configuration during a Period, with a discount in percent of the list price."""

    quote = models.ForeignKey(Quote, on_delete=models.CASCADE, related_name="lines")
    configuration = models.ForeignKey("rentals.Configuration", on_delete=models.PROTECT, related_name="+")
    quantity = models.PositiveSmallIntegerField()
    during = DateTimeRangeField()
    image = models.ForeignKey("rentals.Image", on_delete=models.PROTECT, related_name="+")
    storage_class = models.ForeignKey("rentals.StorageClass", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    storage_tb = models.PositiveIntegerField(default=0)
    discount_percent = models.DecimalField(max_digits=5, decimal_places=2, default=0)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(quantity__gte=1), name="rentals_quote_line_quantity"),
            models.CheckConstraint(condition=models.Q(discount_percent__gte=0, discount_percent__lte=100), name="rentals_quote_discount"),
        ]
        ordering = ["position", "id"]
