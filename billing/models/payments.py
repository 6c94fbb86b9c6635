"""Money in and out through a gateway. Stripe moves money and owns nothing else."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from portal.toolkit.models import Numbered, NumberedQuerySet


class Payment(Numbered):
    """One wish to collect `amount_minor` for an Agreement. Moves monotonically: a late, older event never takes it back."""

    NUMBER_PREFIX = "P"

    class State(models.TextChoices):
        STARTED = "started", _("started")
        PROCESSING = "processing", _("processing")
        ACTION = "requires_action", _("needs your confirmation")
        SUCCEEDED = "succeeded", _("paid")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    agreement = models.ForeignKey("billing.Agreement", on_delete=models.PROTECT, related_name="payments")
    state = models.CharField(max_length=16, choices=State.choices, default=State.STARTED)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    captured_minor = models.BigIntegerField(default=0)
    refunded_minor = models.BigIntegerField(default=0)  # asked for and not failed
    gateway_intent = models.CharField(max_length=80, null=True, unique=True)
    started_by = models.ForeignKey("accounts.User", null=True, on_delete=models.PROTECT, related_name="+")
    failure = models.CharField(max_length=300, blank=True)
    started_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)  # when the look at the gateway began that this state comes from

    objects = NumberedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(captured_minor__gte=0, refunded_minor__gte=0), name="billing_payment_not_negative"),
            models.CheckConstraint(condition=models.Q(refunded_minor__lte=models.F("captured_minor")), name="billing_refund_within_captured"),
        ]
        ordering = ["-id"]


class PaymentAttempt(models.Model):
    """One Checkout Session. `idempotency_key` (pay:{agreement}:{attempt}) and `request` are committed before the gateway hears of it, so that an unknown
    outcome is asked for again with the very same request."""

    class Outcome(models.TextChoices):
        UNKNOWN = "unknown"
        OPEN = "open"
        COMPLETED = "completed"
        EXPIRED = "expired"
        REFUSED = "refused"

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="attempts")
    attempt = models.PositiveSmallIntegerField()
    idempotency_key = models.CharField(max_length=120, unique=True)
    gateway_session = models.CharField(max_length=120, blank=True, db_index=True)
    url = models.TextField(blank=True)
    outcome = models.CharField(max_length=20, choices=Outcome.choices, default=Outcome.UNKNOWN)
    request = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    looks = models.PositiveSmallIntegerField(default=0)
    next_look_at = models.DateTimeField(null=True)  # when the sweeper asks the gateway if no message came

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["payment", "attempt"], name="billing_attempt_once"),
            models.UniqueConstraint(fields=["payment"], condition=models.Q(outcome__in=["unknown", "open"]), name="billing_one_open_attempt"),
        ]
        indexes = [models.Index(fields=["next_look_at"], condition=models.Q(next_look_at__isnull=False), name="billing_attempt_due")]
        ordering = ["attempt"]


class Refund(Numbered):
    """Money to give back. The row is committed first; a sweeper sends what a lost ring left behind."""

    NUMBER_PREFIX = "R"

    class State(models.TextChoices):
        WANTED = "wanted", _("on its way")
        PENDING = "pending", _("pending at the bank")
        SUCCEEDED = "succeeded", _("refunded")
        FAILED = "failed", _("failed")

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="refunds")
    document = models.ForeignKey("billing.Document", null=True, on_delete=models.PROTECT, related_name="refunds")  # the credit note
    invoice = models.ForeignKey("billing.Document", null=True, on_delete=models.PROTECT, related_name="+")  # whose payment it reduces
    state = models.CharField(max_length=10, choices=State.choices, default=State.WANTED)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=300)
    source = models.CharField(max_length=120, unique=True)  # one refund per cause, however often it is asked for
    gateway_refund = models.CharField(max_length=80, null=True, unique=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=300, blank=True)
    wanted_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)

    objects = NumberedQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(amount_minor__gt=0), name="billing_refund_positive")]
        indexes = [models.Index(fields=["next_attempt_at"], condition=models.Q(next_attempt_at__isnull=False), name="billing_refund_due")]
        ordering = ["-id"]


class GatewayEvent(models.Model):
    """A signed event as it came, stored before it is worked on. The unique id makes a repeat harmless."""

    event_id = models.CharField(primary_key=True, max_length=120)
    type = models.CharField(max_length=80)
    object_id = models.CharField(max_length=120, blank=True)
    api_version = models.CharField(max_length=40, blank=True)
    payload = models.JSONField()
    received_at = models.DateTimeField()
    processed_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [models.Index(fields=["next_attempt_at"], condition=models.Q(processed_at__isnull=True), name="billing_event_open")]


class GatewayWatch(models.Model):
    """How far the gateway's own list of events has been read, for those that never arrived. One row."""

    name = models.CharField(primary_key=True, max_length=20)
    read_until = models.DateTimeField()
    next_read_at = models.DateTimeField()
