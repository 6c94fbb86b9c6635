"""Watching Servers that are rented. One slow check interrupts nobody; a Server that is gone three looks in a row was gone from the first of them on."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from portal.accounts.services import audit
from portal.toolkit.tasks import after_commit
from rentals.domain import deployment_steps as steps
from rentals.domain.observations import Observation
from rentals.models import Deployment, Interruption
from rentals.services import bookings, engines, fleet, operations, progress

EVERY = timedelta(seconds=30)


def ring_due(*, now: datetime) -> int:
    """Ring for a look at each running Server that has not been looked at lately. Returns how many."""
    with transaction.atomic():
        due = Deployment.objects.select_for_update(skip_locked=True).filter(Q(looked_at=None) | Q(looked_at__lte=now - EVERY), state="ready")
        ids = list(due.order_by("looked_at", "pk").values_list("pk", flat=True)[:200])
        Deployment.objects.filter(pk__in=ids).update(looked_at=now)
        for pk in ids:
            after_commit("rentals.look_at", deployment_id=pk)
    return len(ids)


def look_at(*, deployment_id: int, now: datetime) -> None:
    """Look once at the Server of a running Deployment; open or close its Interruption when that was one look too many. Nothing when it runs no longer."""
    deployment = Deployment.objects.select_related("assignment__server__model", "assignment__booking").filter(pk=deployment_id, state="ready").first()
    if deployment is None:
        return
    server = deployment.assignment.server
    seen = engines.observe(engine=server.engine, machine=operations.machine_of(server=server), name=operations.name_of(assignment=deployment.assignment))
    with transaction.atomic():
        row = progress.locked(deployment_id=deployment_id)
        if row.state == "ready":
            _judge(row, seen, now)


def _judge(deployment: Deployment, seen: Observation | None, now: datetime) -> None:
    is_open = Interruption.objects.filter(assignment=deployment.assignment, ended_at=None).exists()
    before = steps.Health(deployment.misses, deployment.first_miss_at, deployment.hits, is_open)
    after = steps.look(before, seen, now)
    Deployment.objects.filter(pk=deployment.pk).update(misses=after.misses, first_miss_at=after.first_miss_at, hits=after.hits, looked_at=now)
    if after.lost and not is_open:
        _interrupt(deployment, after.first_miss_at or now, seen, now)
    elif is_open and not after.lost:
        _restore(deployment, now)


def _interrupt(deployment: Deployment, since: datetime, seen: Observation | None, now: datetime) -> None:
    assignment = deployment.assignment
    cause = "vanished" if seen is None or not seen.present else ("power lost" if seen.power != "on" else "lost by the engine")
    if operations.is_whole(assignment=assignment):
        fleet.move(server=progress.server_of(deployment=deployment), to="degraded", now=now, reason=cause)
    bookings.observe_lost(assignment=assignment, at=since, now=now)
    evidence = {"looks": steps.LOST_AFTER, "seen": _words(seen)}
    Interruption.objects.filter(assignment=assignment, ended_at=None).update(cause=cause, evidence=evidence)
    booking = assignment.booking
    audit.record(
        verb="deployment.interrupted", subject=booking.number, organisation=booking.organisation_id, now=now, server=assignment.server.serial, cause=cause
    )
    fleet.alert(key=f"lost-{assignment.pk}-{since.isoformat()}", kind="operator_server", subject=assignment.server.serial,
                path=fleet.path_of(server=assignment.server), now=now, reason=cause)  # fmt: skip
    progress.hint(deployment=deployment)


def _restore(deployment: Deployment, now: datetime) -> None:
    assignment = deployment.assignment
    if operations.is_whole(assignment=assignment):
        fleet.move(server=progress.server_of(deployment=deployment), to="rented", now=now)
    bookings.observe_restored(assignment=assignment, at=now, now=now)
    booking = assignment.booking
    audit.record(verb="deployment.restored", subject=booking.number, organisation=booking.organisation_id, now=now, server=assignment.server.serial)
    progress.hint(deployment=deployment)


def _words(seen: Observation | None) -> dict:
    return {} if seen is None else {"present": seen.present, "power": seen.power, "phase": seen.phase, "at": seen.observed_at.isoformat()}
