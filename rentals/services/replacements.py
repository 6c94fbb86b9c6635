"""A spare for a Deployment that failed before its tenant was in, or whose Server cannot be had. Without one the Booking fails and costs nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from portal.accounts.services import audit
from rentals.domain import deployment_steps as steps
from rentals.models import Assignment, Deployment
from rentals.services import bookings, fleet, progress
from rentals.services.bookings import capacity

LOOK_AGAIN = timedelta(seconds=30)
MOST_AN_HOUR = 10  # replacements at one Site; more is no bad luck but a fault that a person must see


def replace(*, deployment_id: int, now: datetime) -> Assignment | None:
    """Move the Assignment to a spare; the new one is prepared at once. None when there is none: then the Booking fails, or, if nothing has begun yet, the
    wait goes on while there is patience left."""
    with transaction.atomic():
        assignment = Assignment.objects.select_related("booking__configuration").get(deployment=deployment_id)
        capacity.lock(configurations=[assignment.booking.configuration])  # before the Deployment and the Booking: the order that everyone keeps
        deployment = progress.locked(deployment_id=deployment_id)
        return _decide(deployment, now) if deployment.spare_wanted else None


def _decide(deployment: Deployment, now: datetime) -> Assignment | None:
    Deployment.objects.filter(pk=deployment.pk).update(spare_wanted=False)
    if deployment.ends_at <= now:
        if deployment.failure:
            bookings.observe_handed_back(assignment=deployment.assignment, at=deployment.ends_at, now=now)
        return None
    spare = None if _too_many(deployment, now) else bookings.reassign(assignment=deployment.assignment, now=now)
    if spare is not None:
        _go_on_with(spare, deployment, now)
    elif deployment.state != "planned" or now >= deployment.assignment.during.lower + steps.BEGIN_PATIENCE:
        _give_up(deployment, now)
    else:
        Deployment.objects.filter(pk=deployment.pk).update(due_at=now + LOOK_AGAIN)
    return spare


def _too_many(deployment: Deployment, now: datetime) -> bool:
    site = deployment.assignment.server.site_id
    recent = Deployment.objects.filter(assignment__server__site=site, state_since__gte=now - timedelta(hours=1)).exclude(failure="")
    return recent.count() > MOST_AN_HOUR


def _go_on_with(spare: Assignment, old: Deployment, now: datetime) -> None:
    Deployment.objects.create(assignment=spare, state_since=now, due_at=now, end_wanted_at=old.end_wanted_at, created_at=now)
    if old.state == "planned":
        progress.advance_to(deployment=old, to="failed", now=now, failure=old.waiting_for)
    booking = old.assignment.booking
    audit.record(
        verb="deployment.replaced", subject=booking.number, organisation=booking.organisation_id, now=now, old=old.assignment.server.serial,
        new=spare.server.serial, reason=old.failure,
    )  # fmt: skip
    progress.after_commit_sweep()


def _give_up(deployment: Deployment, now: datetime) -> None:
    reason = deployment.failure or deployment.waiting_for
    if deployment.state == "planned":
        progress.advance_to(deployment=deployment, to="failed", now=now, failure=reason)
        Assignment.objects.filter(pk=deployment.assignment_id).update(live=False)
    booking = deployment.assignment.booking
    bookings.observe_failed(assignment=deployment.assignment, reason=reason, at=now, now=now)
    audit.record(verb="deployment.failed", subject=booking.number, organisation=booking.organisation_id, now=now, reason=reason)
    fleet.alert(key=f"no-spare-{deployment.pk}", kind="operator_deployment", subject=booking.number, path=f"/operate/deployments/?q={booking.number}", now=now,
                reason=reason)  # fmt: skip
