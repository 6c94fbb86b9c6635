"""Bookings and the Assignments that the exclusion constraint guards."""

from __future__ import annotations

import uuid

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, IntegerRangeField, RangeOperators
from django.db import models
from django.utils.translation import gettext_lazy as _

from portal.toolkit.models import Numbered, NumberedQuerySet


class Booking(Numbered):
    """A customer's reservation of `quantity` x Configuration during a Period; the agreement about time.

    `agreement` is billing's public number; `organisation` is a foreign key by string, asked for through portal.accounts.queries.
    A hold is a Booking in state held: it counts as live until `hold_expires_at`.
    """

    NUMBER_PREFIX = "B"

    class State(models.TextChoices):
        HELD = "held", _("held")
        CONFIRMED = "confirmed", _("confirmed")
        PREPARING = "preparing", _("preparing")
        ACTIVE = "active", _("active")
        ENDING = "ending", _("ending")
        ENDED = "ended", _("ended")
        CANCELLED = "cancelled", _("cancelled")
        EXPIRED = "expired", _("expired")
        FAILED = "failed", _("failed")

    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.PROTECT, related_name="+")
    project = models.ForeignKey("accounts.Project", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    booked_by = models.ForeignKey("accounts.User", null=True, on_delete=models.PROTECT, related_name="+")
    configuration = models.ForeignKey("rentals.Configuration", on_delete=models.PROTECT, related_name="+")
    quote = models.ForeignKey("rentals.Quote", null=True, blank=True, on_delete=models.PROTECT, related_name="bookings")
    quantity = models.PositiveSmallIntegerField()
    during = DateTimeRangeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.HELD)
    state_since = models.DateTimeField()
    payment_pending = models.BooleanField(default=False)
    suspended = models.BooleanField(default=False)
    degraded = models.BooleanField(default=False)
    hold_expires_at = models.DateTimeField(null=True)
    image = models.ForeignKey("rentals.Image", on_delete=models.PROTECT, related_name="+")
    ssh_keys = models.JSONField(default=list)  # [{"name", "public_key", "fingerprint"}] as of booking
    storage_class = models.ForeignKey("rentals.StorageClass", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    storage_tb = models.PositiveIntegerField(default=0)
    agreement = models.CharField(max_length=30, blank=True, db_index=True)
    idempotency_key = models.CharField(max_length=120, null=True)
    ended_early_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    objects = NumberedQuerySet.as_manager()

    role: str  # no column: that of whoever asked for it, set by queries.bookings

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "idempotency_key"], name="rentals_booking_key_once"),
            models.CheckConstraint(condition=models.Q(quantity__gte=1), name="rentals_booking_quantity"),
            models.CheckConstraint(condition=models.Q(during__isempty=False), name="rentals_booking_has_a_length"),
            models.CheckConstraint(condition=~models.Q(state="held") | models.Q(hold_expires_at__isnull=False), name="rentals_hold_has_a_deadline"),
        ]
        ordering = ["-id"]
        indexes = [models.Index(fields=["organisation", "-id"], name="rentals_booking_by_org")]


class BookingEvent(models.Model):
    """One thing that happened to a Booking, written once (`key`) and shown on its timeline. Moments in UTC."""

    booking = models.ForeignKey(Booking, on_delete=models.PROTECT, related_name="events")
    at = models.DateTimeField()
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=120)
    facts = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["booking", "key"], name="rentals_booking_event_once")]
        ordering = ["at", "id"]


class Assignment(models.Model):
    """Which Unit serves which Booking during which Period.

    `slots` are the Unit's, copied; `guarded` = [start - prepare lead, end + turn-over) as of booking, cut by an early hand-back, extended by an overdue
    wipe. A row that is no longer `live` takes no capacity. The constraint is initially immediate: deferring it is for re-plans, inside one service.
    `rental` names the rented thing, which a replacement goes on with; `line` is the position of its price in the Agreement.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    booking = models.ForeignKey(Booking, on_delete=models.PROTECT, related_name="assignments")
    component = models.ForeignKey("rentals.Component", on_delete=models.PROTECT, related_name="+")
    unit = models.ForeignKey("rentals.Unit", on_delete=models.PROTECT, related_name="assignments")
    unit_class = models.ForeignKey("rentals.UnitClass", on_delete=models.PROTECT, related_name="+")
    server = models.ForeignKey("rentals.Server", on_delete=models.PROTECT, related_name="assignments")
    slots = IntegerRangeField()
    during = DateTimeRangeField()
    guarded = DateTimeRangeField()
    live = models.BooleanField(default=True)
    rental = models.UUIDField(default=uuid.uuid4)
    line = models.PositiveSmallIntegerField(default=1)
    ready_at = models.DateTimeField(null=True)  # observed ready: billing starts at the later of this and the start
    handed_back_at = models.DateTimeField(null=True)
    access = models.JSONField(default=dict)  # {"host", "port", "login"} once handed over

    class Meta:
        constraints = [
            ExclusionConstraint(
                name="rentals_never_twice",
                expressions=[
                    ("server", RangeOperators.EQUAL),
                    ("slots", RangeOperators.OVERLAPS),
                    ("guarded", RangeOperators.OVERLAPS),
                ],
                condition=models.Q(live=True),
                deferrable=models.Deferrable.IMMEDIATE,
            ),
            models.CheckConstraint(
                condition=models.Q(guarded__contains=models.F("during")) | models.Q(handed_back_at__isnull=False), name="rentals_guarded_covers_during"
            ),
        ]
        indexes = [models.Index(fields=["unit_class"], condition=models.Q(live=True), name="rentals_live_by_class")]
        ordering = ["id"]


class Maintenance(models.Model):
    """A span in which a Server is not to be sold. `during` is half-open, UTC; an open end is a Server out of service."""

    server = models.ForeignKey("rentals.Server", on_delete=models.PROTECT, related_name="maintenances")
    during = DateTimeRangeField()
    reason = models.CharField(max_length=300)
    planned_by = models.ForeignKey("accounts.User", null=True, on_delete=models.PROTECT, related_name="+")
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
