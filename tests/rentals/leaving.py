"""Rows of a way out, for tests of pages: how they come about is tested in test_deployments."""

from __future__ import annotations

from datetime import datetime, timedelta

from rentals.models import Assignment, Deployment, DeploymentStep, Operation, Unit, WipeEvidence
from rentals.services import operations
from tests.rentals.desk import Desk


def wiped(cast, racks, now: datetime, *, complete: bool = True) -> WipeEvidence:
    """A Booking that is over, its Server wiped after it."""
    desk = Desk(cast, racks, now)
    booking = desk.run(start=1, hours=24)
    assignment = desk.assignments(booking)[0]
    over = booking.during.lower + timedelta(hours=2)
    desk.hand_back(booking, over)
    Assignment.objects.filter(pk=assignment.pk).update(live=False)
    Deployment.objects.filter(assignment=assignment).update(
        state="done" if complete else "failed", state_since=now, failure="" if complete else "wipe: not erased: SIM7"
    )
    for minute, name in enumerate(("claim", "image", "boot", "network", "ssh_check", "fence", "take_back", "wipe", "evidence", "validate")):
        at = over + timedelta(minutes=minute)
        DeploymentStep.objects.create(deployment=assignment.deployment, key=name, name=name, started_at=at, finished_at=at + timedelta(seconds=50))
    disks = [{"serial": f"SIM{number}", "method": "nvme sanitize", "result": "passed", "finished_at": over.isoformat()} for number in range(8)]
    if not complete:
        disks[7]["result"] = "failed"
    return WipeEvidence.objects.create(
        server=assignment.server, assignment=assignment, reference=f"{assignment.pk}/1", finished_at=over, complete=complete,
        flaw="" if complete else "not erased: SIM7", disks=disks,
    )  # fmt: skip


def operation(cast, racks, now: datetime) -> Operation:
    """A wipe under way for a Booking, about which the engine has said something."""
    desk = Desk(cast, racks, now)
    assignment = desk.assignments(desk.run(start=1, hours=24))[0]
    Deployment.objects.filter(assignment=assignment).update(state="wiping")
    row = operations.open_one(server=assignment.server, verb="wipe", now=now, deployment=Deployment.objects.get(assignment=assignment))
    DeploymentStep.objects.create(deployment=row.deployment, key="wipe", name="wipe", started_at=now)
    Operation.objects.filter(pk=row.pk).update(last_error="the engine's own words", observed_state="wiping", observed_at=now)
    return row


def unit_off_sale(racks, now: datetime) -> int:
    """The whole of srv-a1, which a person must put back on sale."""
    Unit.objects.filter(server__serial="srv-a1").update(in_service_until=now)
    return Unit.objects.get(server__serial="srv-a1").pk
