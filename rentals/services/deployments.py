"""Making Assignments real: planned with the Booking, begun when due, wound down by the wipe. One step per task run; a task may die at any line."""

from __future__ import annotations

import logging
import os
import socket
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, transaction

from portal.live import push
from portal.toolkit.tasks import after_commit
from rentals.domain import deployment_steps as steps
from rentals.domain import lifecycle
from rentals.models import Assignment, Booking, Deployment, Maintenance, Operation
from rentals.services import bookings, engines, fleet, hand_backs, interruptions, operations, outcomes, progress, reconciliation, replacements, servers

log = logging.getLogger(__name__)

RESTING = ("planned", "prepared", "ready")
OCCUPYING = ("preparing", "prepared", "handing_over", "ready", "undeploying", "wiping", "validating")
LOOK_AGAIN = timedelta(seconds=5)  # at a Server that is not free yet
OWNER = f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"


def plan(*, booking: Booking, now: datetime) -> list[Deployment]:
    """Write down one Deployment for each live Assignment of the Booking that has none, due when its guarded range begins. Call in the transaction that
    confirms the Booking."""
    fresh = Assignment.objects.filter(booking=booking, live=True, deployment=None).order_by("pk")
    planned = [
        Deployment.objects.create(
            assignment=assignment, state_since=now, due_at=assignment.guarded.lower, end_wanted_at=assignment.during.upper, created_at=now
        )
        for assignment in fresh
    ]
    after_commit("rentals.sweep_deployments")
    return planned


def wind_down(*, booking: Booking, at: datetime, now: datetime) -> None:
    """The Booking ends at `at`: what has not begun never will, what is being prepared is stopped, what runs is handed back then. A later moment than the
    one that stands changes nothing."""
    for deployment in Deployment.objects.select_for_update(of=("self",)).filter(assignment__booking=booking).order_by("pk"):
        if deployment.end_wanted_at is not None and deployment.end_wanted_at <= at:
            continue
        Deployment.objects.filter(pk=deployment.pk).update(end_wanted_at=at, due_at=min(at, deployment.due_at) if at > now else now)
        if at <= now:
            Operation.objects.filter(deployment=deployment, state__in=operations.OPEN, verb__in=("prepare", "hand_over")).update(
                cancel_wanted=True, next_poll_at=now, rung_at=None
            )
    after_commit("rentals.sweep_deployments")


def sweep(*, now: datetime) -> None:
    """Do everything that is due and ring for every engine step that is. What one row raises is logged and holds up no other."""
    due = Deployment.objects.filter(state__in=RESTING, due_at__lte=now).exclude(operations__state__in=operations.OPEN)
    _each(lambda pk: begin(deployment_id=pk, now=now), due)
    _each(lambda pk: replacements.replace(deployment_id=pk, now=now), Deployment.objects.filter(spare_wanted=True))
    _each(lambda pk: hand_backs.extend_guard(deployment_id=pk, now=now), hand_backs.running_late(now=now))
    servers.sweep(now=now)
    interruptions.ring_due(now=now)
    reconciliation.ring_due(now=now)
    operations.ring_due(now=now)


def _each(act: Callable[[int], object], deployments) -> None:
    for pk in deployments.order_by("due_at", "pk").values_list("pk", flat=True)[:200]:
        try:
            act(pk)
        except Exception:
            log.exception("a step of deployment %s failed; the next sweep tries again", pk)


@transaction.atomic
def begin(*, deployment_id: int, now: datetime) -> None:
    """Begin the next step of a Deployment that rests: prepare, hand over, hand back, or end before it began. Nothing when it has nothing to do."""
    deployment = progress.locked(deployment_id=deployment_id)
    if Operation.objects.filter(deployment=deployment, state__in=operations.OPEN).exists():
        return
    start = deployment.assignment.during.lower or deployment.ends_at  # a Booking that ended before its start has no length left
    step = steps.next_step(deployment.state, now, start=start, due_at=deployment.due_at, end_wanted_at=deployment.ends_at)
    if step == "cancel":
        _cancel(deployment, now)
    elif step == "begin":
        _prepare(deployment, now)
    elif step == "hand_over":
        progress.advance_to(deployment=deployment, to="handing_over", now=now)
        operations.open_one(server=deployment.assignment.server, verb="hand_over", now=now, deployment=deployment)
    elif step == "undeploy":
        hand_backs.start(deployment=deployment, now=now)


def _cancel(deployment: Deployment, now: datetime) -> None:
    progress.advance_to(deployment=deployment, to="cancelled", now=now)
    bookings.observe_handed_back(assignment=deployment.assignment, at=now, now=now)
    Assignment.objects.filter(pk=deployment.assignment_id).update(live=False)


def _prepare(deployment: Deployment, now: datetime) -> None:
    """Open the preparation when the Server is free, else wait for it, look for a spare, or give up."""
    assignment, server = deployment.assignment, deployment.assignment.server
    verdict = steps.may_begin(
        server.state,
        occupied=_occupied(deployment),
        cooling=Maintenance.objects.filter(server=server, during__contains=now, cancelled_at=None).exists(),
        sellable=server.state not in lifecycle.UNSELLABLE_SERVER,
        crowded=_crowded(deployment),
        now=now,
        start=assignment.during.lower,
    )
    if isinstance(verdict, steps.Begin):
        operations.open_one(server=server, verb="prepare", now=now, deployment=deployment)
        if operations.is_whole(assignment=assignment):
            fleet.move(server=server, to="reserved", now=now)
        progress.advance_to(deployment=deployment, to="preparing", now=now, waiting_for="")
        bookings.observe_preparing(assignment=assignment, at=now, now=now)
        return
    spare = isinstance(verdict, steps.GiveUp) or (isinstance(verdict, steps.Hold) and verdict.try_spare)
    Deployment.objects.filter(pk=deployment.pk).update(due_at=now + LOOK_AGAIN, waiting_for=verdict.reason, spare_wanted=spare)
    if now >= assignment.during.lower:
        fleet.alert(key=f"late-{assignment.pk}", kind="operator_deployment", subject=assignment.booking.number, path=fleet.path_of(server=server), now=now,
                    reason=verdict.reason)  # fmt: skip
    push.hint(f"booking-{assignment.booking.number}", "steps")


def _occupied(deployment: Deployment) -> bool:
    """Whether the tenant before, or an engine's work on these slots, is still there."""
    mine = deployment.assignment
    others = Deployment.objects.filter(state__in=OCCUPYING, assignment__server=mine.server, assignment__slots__overlap=mine.slots)
    at_work = Operation.objects.filter(server=mine.server, state__in=operations.OPEN, slots__overlap=mine.slots)
    return others.exclude(pk=deployment.pk).exists() or at_work.exists()


def _crowded(deployment: Deployment) -> bool:
    server = deployment.assignment.server
    at_work = Operation.objects.filter(state__in=operations.OPEN, verb="prepare", server__site=server.site_id, server__rack=server.rack)
    return at_work.count() >= settings.DEPLOYMENTS_PER_RACK


def advance(*, op_id: UUID | str, now: datetime) -> None:
    """One step of one Operation: lease it, look at the engine, decide, ask the engine at most once, write. Whoever dies in between leaves a lease that
    ends, and the next one looks before it asks. Nothing when the Operation is not due or in other hands."""
    leased = operations.lease(op_id=op_id, owner=OWNER, now=now)
    if leased is None:
        return
    seen, report = engines.look(leased=leased)
    decision = steps.decide(leased.task, seen, report, now)
    answer = engines.ask(leased=leased, verb=decision.verb, seen=seen) if isinstance(decision, steps.Ask) else None
    for _ in range(3):
        try:
            outcomes.write(leased=leased, seen=seen, report=report, decision=decision, answer=answer, now=now)
            return
        except operations.LostLease:
            log.info("operation %s was taken over", op_id)
            return
        except OperationalError as error:  # a deadlock with a customer's own act: his goes first
            log.warning("operation %s: %s", op_id, error)
