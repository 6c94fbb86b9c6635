"""The work of making an Assignment real. The row is the truth, Celery is the doorbell (design.md 5.3, provisioning.md 3)."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import IntegerRangeField, RangeOperators
from django.db import models
from django.utils.translation import gettext_lazy as _

from portal.toolkit import models as announcements


class Deployment(models.Model):
    """The life of one Assignment on its Server, from preparation to the wipe.

    `due_at` is when the next step may begin while no Operation is open: the start less the prepare lead, the start, the end. A `failure` before it was
    ready leaves by the wipe like everything else; `spare_wanted` says that another Unit is to be found for its Assignment.
    """

    class State(models.TextChoices):
        PLANNED = "planned", _("planned")
        PREPARING = "preparing", _("preparing")
        PREPARED = "prepared", _("prepared")
        HANDING_OVER = "handing_over", _("handing over")
        READY = "ready", _("ready")
        UNDEPLOYING = "undeploying", _("handing back")
        WIPING = "wiping", _("wiping")
        VALIDATING = "validating", _("validating")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    assignment = models.OneToOneField("rentals.Assignment", on_delete=models.PROTECT, related_name="deployment")
    state = models.CharField(max_length=14, choices=State.choices, default=State.PLANNED)
    state_since = models.DateTimeField()
    due_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True)
    end_wanted_at = models.DateTimeField(null=True)  # from when on the Assignment is to be handed back; moved forward by an early end
    failure = models.CharField(max_length=300, blank=True)
    waiting_for = models.CharField(max_length=300, blank=True)  # why it has not begun though it is due; for the operator
    spare_wanted = models.BooleanField(default=False)
    looked_at = models.DateTimeField(null=True)  # when the running Server was last looked at
    misses = models.PositiveSmallIntegerField(default=0)  # looks in a row that did not find it well
    hits = models.PositiveSmallIntegerField(default=0)
    first_miss_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["due_at"], condition=~models.Q(state__in=["done", "failed", "cancelled"]), name="rentals_deployment_due")]

    @property
    def ends_at(self) -> datetime:
        """When it is handed back: as wished, else at the end of its Assignment."""
        return self.end_wanted_at or self.assignment.during.upper


class Operation(models.Model):
    """One engine action as a persisted row, committed before the engine hears of it.

    A worker holds it by a lease with a fencing token; one that lost its lease writes zero rows. One unfinished Operation for each slot of a Server: those
    of a whole Server exclude every other, those of its slices pass each other. `attempt` counts definite failures; `asked_at` is when the present attempt
    was last asked and `heard` whether the engine took it.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    op_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    deployment = models.ForeignKey(Deployment, null=True, on_delete=models.PROTECT, related_name="operations")
    server = models.ForeignKey("rentals.Server", on_delete=models.PROTECT, related_name="operations")
    slots = IntegerRangeField()
    verb = models.CharField(max_length=20)
    request = models.JSONField(default=dict)
    request_hash = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempt = models.PositiveSmallIntegerField(default=1)
    asked_at = models.DateTimeField(null=True)
    heard = models.BooleanField(default=False)
    unheard = models.PositiveSmallIntegerField(default=0)  # looks in a row in which the engine could not be heard
    external_ref = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    next_poll_at = models.DateTimeField()
    rung_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True)
    fencing = models.PositiveIntegerField(default=0)
    observed_state = models.CharField(max_length=40, blank=True)
    observed_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, blank=True)
    cancel_wanted = models.BooleanField(default=False)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            ExclusionConstraint(
                name="rentals_one_open_operation_a_slot",
                expressions=[("server", RangeOperators.EQUAL), ("slots", RangeOperators.OVERLAPS)],
                condition=models.Q(state__in=["waiting", "running"]),
            )
        ]
        indexes = [models.Index(fields=["next_poll_at"], condition=models.Q(state__in=["waiting", "running"]), name="rentals_operation_due")]
        ordering = ["created_at", "op_id"]


class DeploymentStep(models.Model):
    """A step of a Deployment as it happened, shown to the customer and the operator. `key` makes it once."""

    deployment = models.ForeignKey(Deployment, on_delete=models.PROTECT, related_name="steps")
    key = models.CharField(max_length=80)
    name = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    failed = models.BooleanField(default=False)
    detail = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["deployment", "key"], name="rentals_deployment_step_once")]
        ordering = ["started_at", "id"]


class Interruption(models.Model):
    """A span in which a customer's running Assignment was not usable. Open while `ended_at` is null. Not billed."""

    assignment = models.ForeignKey("rentals.Assignment", on_delete=models.PROTECT, related_name="interruptions")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    cause = models.CharField(max_length=60)
    evidence = models.JSONField(default=dict)

    class Meta:
        ordering = ["started_at", "id"]


class Announcement(announcements.Announcement):
    """What rentals says to monitoring and the web above."""

    class Meta(announcements.Announcement.Meta):
        abstract = False
