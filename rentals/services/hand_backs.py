"""The way out: fence, tenant network off, wipe every disk, evidence, validate, available. Whatever fails on it ends in a failed state, never in available.

A Server of which only some slots were rented stays in service: its tenant's own system is stopped and his volume erased; when that fails the Unit is
taken off sale instead of the Server.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from portal.accounts.services import audit
from rentals.domain import deployment_steps as steps
from rentals.domain.observations import WipeReport
from rentals.models import Assignment, Deployment, Interruption, Operation, Server, Unit, WipeEvidence
from rentals.services import bookings, fleet, operations, progress

NEXT_VERB = {"fence": "take_back", "take_back": "wipe"}
GUARD_MARGIN = timedelta(minutes=5)
GUARD_EXTENSION = timedelta(minutes=15)
SERVER_BUSY_MOVING_OUT = ("undeploying", "wiping", "validating")


def start(*, deployment: Deployment, now: datetime, failure: str = "", spare_wanted: bool = False) -> None:
    """Begin to move the tenant, or what was being prepared for him, off the Server."""
    assignment = deployment.assignment
    if operations.is_whole(assignment=assignment):
        fleet.move(server=progress.server_of(deployment=deployment), to="undeploying", now=now, last_tenant_ended_at=now)
    progress.advance_to(deployment=deployment, to="undeploying", now=now, failure=failure[:300] or deployment.failure, spare_wanted=spare_wanted)
    Interruption.objects.filter(assignment=assignment, ended_at=None).update(ended_at=now)
    _open(deployment, "fence", now)


def finished(*, deployment: Deployment, operation: Operation, report: WipeReport | None, now: datetime) -> None:
    """One step of the way out is done; begin the next."""
    progress.end_step(deployment=deployment, key=operation.verb, at=now)
    if operation.verb == "take_back":
        _hand_back(deployment, now)
    if operation.verb in NEXT_VERB:
        _open(deployment, NEXT_VERB[operation.verb], now)
    elif operation.verb == "wipe":
        _wiped(deployment, report, now)
    else:
        _validated(deployment, now)


def failed(*, deployment: Deployment, operation: Operation, report: WipeReport | None, reason: str, now: datetime) -> None:
    """A step of the way out has failed for good: the Server (or the Unit of a shared one) waits for a person, and nothing more is billed."""
    progress.end_step(deployment=deployment, key=operation.verb, at=now, failed=True)
    if operation.verb in NEXT_VERB and not deployment.failure:
        bookings.observe_handed_back(assignment=deployment.assignment, at=deployment.ends_at, now=now)
    progress.advance_to(deployment=deployment, to="failed", now=now, failure=deployment.failure or f"{operation.verb}: {reason}"[:300])
    Assignment.objects.filter(pk=deployment.assignment_id).update(live=False, access={})
    server = progress.server_of(deployment=deployment)
    if operations.is_whole(assignment=deployment.assignment):
        fleet.put_aside(server=server, to="wipe_failed" if operation.verb == "wipe" else "quarantined", reason=f"{operation.verb}: {reason}", now=now)
    else:
        _take_unit_off_sale(deployment, server, f"{operation.verb}: {reason}", now)


def keep_evidence(*, server: Server, assignment: Assignment | None, report: WipeReport, flaw: str, now: datetime) -> WipeEvidence:
    """Keep what a finished wipe says of itself, good or bad; once for each wipe."""
    disks = [
        {"serial": disk.serial, "method": disk.method, "result": disk.result, "finished_at": disk.finished_at.isoformat() if disk.finished_at else None}
        for disk in report.disks
    ]
    known = {disk["serial"] for disk in disks}
    disks += [{"serial": serial, "method": "", "result": "untouched", "finished_at": None} for serial in report.expected if serial not in known]
    evidence, created = WipeEvidence.objects.get_or_create(
        reference=report.reference,
        defaults={"server": server, "assignment": assignment, "finished_at": now, "complete": not flaw, "flaw": flaw[:300], "disks": disks},
    )
    if created:
        audit.record(verb="server.wiped" if not flaw else "server.wipe_failed", subject=server.serial, now=now, disks=len(disks), flaw=flaw)
    return evidence


def running_late(*, now: datetime) -> QuerySet[Deployment]:
    """Deployments on the way out whose guarded range is about to end."""
    return Deployment.objects.filter(state__in=SERVER_BUSY_MOVING_OUT, assignment__live=True, assignment__guarded__endswith__lte=now + GUARD_MARGIN)


def extend_guard(*, deployment_id: int, now: datetime) -> None:
    """Keep the Server guarded while its wipe is overdue. Where the next Booking is in the way it waits for the wipe by itself."""
    assignment = Assignment.objects.get(deployment=deployment_id)
    after = Assignment.objects.filter(
        server=assignment.server_id, live=True, slots__overlap=assignment.slots, guarded__startswith__gte=assignment.guarded.upper
    )
    following = after.order_by("guarded").values_list("guarded", flat=True).first()
    until = min([now + GUARD_EXTENSION, *([following.lower] if following else [])])
    if until <= assignment.guarded.upper:
        return
    try:
        with transaction.atomic():
            Assignment.objects.filter(pk=assignment.pk, guarded=assignment.guarded).update(guarded=(assignment.guarded.lower, until))
    except IntegrityError:  # a Booking took the place meanwhile: it waits
        return


def _open(deployment: Deployment, verb: str, now: datetime) -> None:
    if verb == "wipe":
        progress.advance_to(deployment=deployment, to="wiping", now=now)
        _move_whole(deployment, "wiping", now)
    progress.begin_step(deployment=deployment, key=verb, name=verb, at=now)
    operations.open_one(server=deployment.assignment.server, verb=verb, now=now, deployment=deployment)


def _hand_back(deployment: Deployment, now: datetime) -> None:
    """The tenant is out. He pays until his end; for a Deployment that failed the Booking has been told already."""
    assignment = deployment.assignment
    Assignment.objects.filter(pk=assignment.pk).update(access={})
    if not deployment.failure:
        bookings.observe_handed_back(assignment=assignment, at=deployment.ends_at, now=now)
    audit.record(
        verb="deployment.handed_back", subject=assignment.booking.number, organisation=assignment.booking.organisation_id, now=now,
        server=assignment.server.serial,
    )  # fmt: skip


def _wiped(deployment: Deployment, report: WipeReport | None, now: datetime) -> None:
    assignment = deployment.assignment
    if report is not None:
        keep_evidence(server=assignment.server, assignment=assignment, report=report, flaw="", now=now)
    progress.begin_step(deployment=deployment, key="evidence", name="evidence", at=now)
    progress.end_step(deployment=deployment, key="evidence", at=now)
    progress.advance_to(deployment=deployment, to="validating", now=now)
    if not operations.is_whole(assignment=assignment):
        _end(deployment, now)
        return
    _move_whole(deployment, "validating", now, wiped_at=now)
    _open(deployment, "validate", now)


def _validated(deployment: Deployment, now: datetime) -> None:
    server = progress.server_of(deployment=deployment)
    fleet.move(server=server, to="available", now=now)
    if deployment.failure:
        _cool_down(server, now)
    _end(deployment, now)


def _end(deployment: Deployment, now: datetime) -> None:
    progress.advance_to(deployment=deployment, to="failed" if deployment.failure else "done", now=now)
    Assignment.objects.filter(pk=deployment.assignment_id).update(live=False)


def _cool_down(server: Server, now: datetime) -> None:
    """A Server that failed is never the next pick; one that fails again and again needs a person."""
    recent = Deployment.objects.filter(assignment__server=server, state_since__gte=now - timedelta(days=1)).exclude(failure="")
    if recent.count() >= steps.POISONED_AFTER:
        fleet.put_aside(server=server, to="quarantined", reason=f"{recent.count()} deployments failed within a day", now=now)
    else:
        fleet.close_for(server=server, reason=fleet.COOLING, now=now, until=now + steps.COOL_DOWN)


def _move_whole(deployment: Deployment, to: str, now: datetime, **fields: Any) -> None:
    if operations.is_whole(assignment=deployment.assignment):
        fleet.move(server=progress.server_of(deployment=deployment), to=to, now=now, **fields)


def _take_unit_off_sale(deployment: Deployment, server: Server, reason: str, now: datetime) -> None:
    unit = deployment.assignment.unit
    Unit.objects.filter(pk=unit.pk, in_service_until=None).update(in_service_until=now)
    audit.record(verb="unit.off_sale", subject=server.serial, now=now, unit=unit.label, reason=reason)
    fleet.alert(key=f"{server.serial}-{unit.pk}-{now.isoformat()}", kind="operator_server", subject=server.serial, path=fleet.path_of(server=server), now=now,
                reason=f"{unit.label}: {reason}")  # fmt: skip
