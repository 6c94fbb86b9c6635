"""What operators do with a Server, and what becomes of a Server that no Deployment is about: validation of a new one, a wipe that is tried again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction

from portal.accounts.services import audit
from portal.kernel.errors import Conflict
from rentals.domain.observations import WipeReport
from rentals.models import Assignment, Booking, Operation, Server, Unit
from rentals.services import fleet, hand_backs, operations

log = logging.getLogger(__name__)

NEXT_VERB = {"return_to_service": "validate", "fence": "take_back", "take_back": "wipe", "wipe": "validate"}
EXPIRING = ("verifying", "undeploying", "wiping", "validating", "reserved", "deploying", "unknown")
SAID_OF = {"maintenance": "server.taken_out", "retired": "server.retired"}


class StillBooked(Conflict):
    """Bookings stand on this server. End or move them first."""

    code = "still_booked"


class NotInThisState(Conflict):
    """This cannot be done with the server in its present state."""

    code = "not_in_this_state"


def booked_on(*, server: Server, now: datetime) -> list[Booking]:
    """The Bookings that have the Server now or later, in order of their start."""
    live = Assignment.objects.filter(server=server, live=True, guarded__endswith__gt=now).select_related("booking").order_by("during", "pk")
    return list({assignment.booking_id: assignment.booking for assignment in live}.values())


def take_out(*, server: Server, reason: str, by: Any, now: datetime) -> None:
    """Take a Server out of service for maintenance. Raises StillBooked with the list, NotInThisState when it is at work."""
    _leave(server, "maintenance", reason, by, now)


def retire(*, server: Server, reason: str, by: Any, now: datetime) -> None:
    """Take a Server out for good; its Units are sold no more. Raises StillBooked with the list, NotInThisState when it is at work."""
    _leave(server, "retired", reason, by, now)


@transaction.atomic
def put_back(*, server: Server, by: Any, now: datetime) -> None:
    """Return a Server to service: wiped first where a tenant has been on it since the last wipe, then validated, then available. Raises NotInThisState,
    ServerBusy."""
    row = _locked(server)
    if row.state not in ("maintenance", "quarantined", "wipe_failed"):
        raise NotInThisState(state=row.state)
    dirty = row.state == "wipe_failed" or (row.last_tenant_ended_at is not None and (row.wiped_at is None or row.wiped_at < row.last_tenant_ended_at))
    fleet.move(server=row, to="wiping" if dirty else "verifying", now=now)
    operations.open_one(server=row, verb="return_to_service", now=now)
    audit.record(verb="server.put_back", subject=row.serial, by=by, now=now, wiped_first=dirty)


@transaction.atomic
def verify(*, server: Server, by: Any, now: datetime) -> None:
    """Have a Server that was added by hand compared with what it should be; it is sold once it passed. Raises IllegalMove, ServerBusy."""
    row = _locked(server)
    fleet.move(server=row, to="verifying", now=now)
    operations.open_one(server=row, verb="validate", now=now)
    audit.record(verb="server.verifying", subject=row.serial, by=by, now=now)


@transaction.atomic
def put_unit_back(*, unit: Unit, by: Any, now: datetime) -> None:
    """Offer a Unit of a shared Server again after a person has looked at it. Raises NotInThisState when it is on offer."""
    if not Unit.objects.filter(pk=unit.pk).exclude(in_service_until=None).update(in_service_until=None):
        raise NotInThisState()
    audit.record(verb="unit.on_sale", subject=unit.server.serial, by=by, now=now, unit=unit.label)


def step_finished(*, operation: Operation, report: WipeReport | None, now: datetime) -> None:
    """A step that is about the Server as a whole is done; begin the next, or put it back on offer."""
    server = Server.objects.select_related("model").get(pk=operation.server_id)
    if operation.verb == "wipe" and report is not None:
        hand_backs.keep_evidence(server=server, assignment=None, report=report, flaw="", now=now)
        fleet.move(server=server, to="validating", now=now, wiped_at=now)
    verb = NEXT_VERB.get(operation.verb)
    if operation.verb == "return_to_service" and server.state == "wiping":
        verb = "fence"
    if verb is not None:
        operations.open_one(server=server, verb=verb, now=now)
    elif operation.verb == "validate":
        _back_on_offer(server, now)


def _back_on_offer(server: Server, now: datetime) -> None:
    fleet.move(server=server, to="available", now=now)
    fleet.open_again(server=server, now=now)
    audit.record(verb="server.available", subject=server.serial, now=now)


def step_failed(*, operation: Operation, reason: str, now: datetime) -> None:
    """A step that is about the Server as a whole has failed for good: a person must look. One that is out of service already stays so."""
    server = Server.objects.get(pk=operation.server_id)
    if operation.verb == "quarantine":
        log.warning("the engine did not take %s out of its pool: %s", server.serial, reason)
        return
    to = "wipe_failed" if server.state == "wiping" else "quarantined"
    fleet.put_aside(server=server, to=to, reason=f"{operation.verb}: {reason}", now=now)


def sweep(*, now: datetime) -> None:
    """Verify Servers that are new, and take those out whose state has lasted too long with nothing at work on them."""
    idle = Server.objects.exclude(operations__state__in=operations.OPEN).order_by("pk")
    for server in idle.filter(state="enrolled"):
        _alone(lambda row: verify(server=row, by=None, now=now), server)
    for server in idle.filter(state__in=EXPIRING, state_deadline_at__lte=now):
        _alone(lambda row: _expire(row, now), server)


def _alone(act: Callable[[Server], None], server: Server) -> None:
    try:
        act(server)
    except Exception:
        log.exception("sweeping server %s failed; the next sweep tries again", server.serial)


@transaction.atomic
def _expire(server: Server, now: datetime) -> None:
    row = _locked(server)
    if row.state_deadline_at is None or row.state_deadline_at > now:
        return
    reason = f"{row.state} for too long"
    fleet.put_aside(server=row, to="wipe_failed" if row.state == "wiping" else "quarantined", reason=reason, now=now)


@transaction.atomic
def _leave(server: Server, to: str, reason: str, by: Any, now: datetime) -> None:
    row = _locked(server)
    standing = booked_on(server=row, now=now)
    if standing:
        raise StillBooked(bookings=[booking.number for booking in standing])
    if Operation.objects.filter(server=row, state__in=operations.OPEN).exists():
        raise NotInThisState(state=row.state)
    fleet.move(server=row, to=to, now=now, reason=reason)
    fleet.open_again(server=row, now=now)
    fleet.close_for(server=row, reason=reason or fleet.OUT_OF_SERVICE, now=now, by=by)
    if to == "retired":
        Unit.objects.filter(server=row, in_service_until=None).update(in_service_until=now)
    audit.record(verb=SAID_OF[to], subject=row.serial, by=by, now=now, reason=reason)
    operations.open_one(server=row, verb="quarantine", now=now)


def _locked(server: Server) -> Server:
    return Server.objects.select_for_update(of=("self",)).select_related("model").get(pk=server.pk)
