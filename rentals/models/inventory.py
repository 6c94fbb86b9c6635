"""What stands in the racks. A Server has numbered slots: 8 memory slices for each accelerator position (design.md 4.1)."""

from __future__ import annotations

from django.contrib.postgres.fields import IntegerRangeField
from django.db import models


class Site(models.Model):
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    country = models.CharField(max_length=2)
    time_zone = models.CharField(max_length=64)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Fabric(models.Model):
    """The RDMA network that Servers share."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="fabrics")
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Server(models.Model):
    """One physical machine. `serial` is its public name; `state` moves by domain.lifecycle.SERVER only.

    `last_tenant_ended_at` and `wiped_at` carry invariant 3: `available` needs wipe evidence newer than the last tenant.
    """

    class State(models.TextChoices):
        ENROLLED = "enrolled"
        VERIFYING = "verifying"
        AVAILABLE = "available"
        RESERVED = "reserved"
        DEPLOYING = "deploying"
        RENTED = "rented"
        DEGRADED = "degraded"
        UNDEPLOYING = "undeploying"
        WIPING = "wiping"
        WIPE_FAILED = "wipe_failed"
        VALIDATING = "validating"
        QUARANTINED = "quarantined"
        MAINTENANCE = "maintenance"
        RETIRED = "retired"
        UNKNOWN = "unknown"

    serial = models.SlugField(unique=True)
    model = models.ForeignKey("rentals.ServerModel", on_delete=models.PROTECT, related_name="servers")
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="servers")
    fabric = models.ForeignKey(Fabric, null=True, blank=True, on_delete=models.PROTECT, related_name="servers")
    rack = models.CharField(max_length=20)
    position = models.PositiveSmallIntegerField(default=1)
    bmc_address = models.CharField(max_length=100, blank=True)
    engine = models.CharField(max_length=20, default="simulated")
    state = models.CharField(max_length=12, choices=State.choices, default=State.ENROLLED)
    state_since = models.DateTimeField()
    state_deadline_at = models.DateTimeField(null=True)
    state_reason = models.CharField(max_length=300, blank=True)
    last_tenant_ended_at = models.DateTimeField(null=True)
    wiped_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["serial"]
        constraints = [
            models.CheckConstraint(
                name="rentals_available_only_after_wipe",
                condition=~models.Q(state="available") | models.Q(last_tenant_ended_at__isnull=True) | models.Q(wiped_at__gte=models.F("last_tenant_ended_at")),
            )
        ]

    def __str__(self) -> str:
        return self.serial


class Accelerator(models.Model):
    """One GPU in a Server. Identity is the UUID; the slot keeps its position when a card is replaced."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="accelerators")
    position = models.PositiveSmallIntegerField()
    gpu_model = models.ForeignKey("rentals.GpuModel", on_delete=models.PROTECT, related_name="+")
    uuid = models.CharField(max_length=60, unique=True)
    bus_id = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "position"], name="rentals_one_gpu_a_position")]
        ordering = ["server_id", "position"]


class UnitClass(models.Model):
    """Units a customer cannot tell apart: same kind, Site and fabric. The row that every booking locks first, in id order.

    `prepare_lead` and `turn_over` are copied into `guarded` as of booking.
    """

    kind = models.ForeignKey("rentals.UnitKind", on_delete=models.PROTECT, related_name="classes")
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="+")
    fabric = models.ForeignKey(Fabric, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    prepare_lead = models.DurationField()
    turn_over = models.DurationField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "site", "fabric"], nulls_distinct=False, name="rentals_unit_class_once"),
        ]
        ordering = ["id"]


class Unit(models.Model):
    """The smallest thing rentable on its own under the Server's Layout: `slots` is the half-open range of the Server's slots that it covers.

    `in_service_until` is null while the Unit is on offer; a retired or re-cut Unit keeps its row for the Assignments that name it.
    """

    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="units")
    unit_class = models.ForeignKey(UnitClass, on_delete=models.PROTECT, related_name="units")
    slots = IntegerRangeField()
    label = models.CharField(max_length=40)
    in_service_from = models.DateTimeField()
    in_service_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]


class WipeEvidence(models.Model):
    """What was erased at one hand-back, by serial, method, result. Complete only when every disk is there and passed."""

    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="wipes")
    assignment = models.ForeignKey("rentals.Assignment", null=True, on_delete=models.PROTECT, related_name="wipes")
    reference = models.CharField(max_length=60, unique=True)  # the key of the wipe in the engine: evidence is kept once
    finished_at = models.DateTimeField()
    complete = models.BooleanField()
    flaw = models.CharField(max_length=300, blank=True)  # why it does not count
    disks = models.JSONField()  # [{"serial", "method", "result", "finished_at"}]

    class Meta:
        ordering = ["-finished_at", "-id"]
