"""What Deployments see, in their own transactions, and what it means for the Booking. Every call is idempotent."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from rentals.models import Assignment, Booking, Interruption
from rentals.queries import usage
from rentals.services.bookings import capacity, ending, moves

CONFIRMED, PREPARING, ACTIVE, ENDING = Booking.State.CONFIRMED, Booking.State.PREPARING, Booking.State.ACTIVE, Booking.State.ENDING


@transaction.atomic
def observe_preparing(*, assignment: Assignment, at: datetime, now: datetime) -> None:
    """An engine was asked to prepare. Raises IllegalMove when the Booking has been cancelled meanwhile: then nothing is to be prepared."""
    booking = _locked(assignment)
    if booking.state not in (PREPARING, ACTIVE):
        moves.move(booking=booking, to=PREPARING, now=now)
    moves.show(booking=booking, part="steps")


@transaction.atomic
def observe_ready(*, assignment: Assignment, at: datetime, now: datetime) -> None:
    """The Server was seen to be ready for its tenant at `at`; once all of the Booking are, it is active."""
    booking = _locked(assignment)
    if Assignment.objects.filter(pk=assignment.pk, ready_at__isnull=True).update(ready_at=at):
        moves.show(booking=booking, part="servers")
    if booking.state == CONFIRMED:
        moves.move(booking=booking, to=PREPARING, now=now)
    if booking.state == PREPARING and not booking.assignments.filter(live=True, ready_at__isnull=True).exists():
        moves.move(booking=booking, to=ACTIVE, now=now)
        moves.tell(booking=booking, kind="ready", now=now)


@transaction.atomic
def observe_handed_back(*, assignment: Assignment, at: datetime, now: datetime) -> None:
    """The tenant is out since `at`, or never came in. What was served is billed; with the last Server the Booking is settled and over."""
    booking = _locked(assignment)
    row = booking.assignments.select_related("unit").get(pk=assignment.pk)
    if row.handed_back_at is None:
        ending.hand_back(assignment=row, booking=booking, at=at, now=now)


@transaction.atomic
def observe_failed(*, assignment: Assignment, reason: str, at: datetime, now: datetime) -> None:
    """The Server cannot be had and there is no spare. A Booking that was never whole ends and costs nothing; one that runs goes on without, degraded.
    `reason` is for the operator; the customer reads that it failed."""
    booking = _locked(assignment)
    row = booking.assignments.select_related("unit").get(pk=assignment.pk)
    if row.handed_back_at is not None:
        return
    moves.note(booking=booking, kind="server_failed", at=at, key=f"server_failed:{row.pk}", unit=row.unit.label)
    if booking.state == ACTIVE:
        Booking.objects.filter(pk=booking.pk).update(degraded=True)
    elif booking.state == PREPARING:
        moves.move(booking=booking, to=ENDING, now=now)  # the sweep winds the others down
    ending.hand_back(assignment=row, booking=booking, at=at, now=now)


@transaction.atomic
def observe_lost(*, assignment: Assignment, at: datetime, now: datetime) -> None:
    """A running Server is gone since `at`: not billed from then on, and the Booking says so."""
    booking = _locked(assignment)
    if assignment.interruptions.filter(ended_at__isnull=True).exists():
        return
    Interruption.objects.create(assignment=assignment, started_at=at, cause="server_lost", evidence={"seen_at": now.isoformat()})
    _degraded(booking, True)
    moves.note(booking=booking, kind="lost", at=at, key=f"lost:{assignment.pk}:{at.isoformat()}", unit=assignment.unit.label)
    moves.tell(booking=booking, kind="degraded", now=now, key=f":{assignment.pk}:{at.isoformat()}", since=at.isoformat())


@transaction.atomic
def observe_restored(*, assignment: Assignment, at: datetime, now: datetime) -> None:
    """The Server is usable again since `at`, and billed again."""
    booking = _locked(assignment)
    if not assignment.interruptions.filter(ended_at__isnull=True).update(ended_at=at):
        return
    _degraded(booking, Interruption.objects.filter(assignment__booking=booking, assignment__live=True, ended_at__isnull=True).exists())
    moves.note(booking=booking, kind="restored", at=at, key=f"restored:{assignment.pk}:{at.isoformat()}", unit=assignment.unit.label)


@transaction.atomic
def reassign(*, assignment: Assignment, now: datetime) -> Assignment | None:
    """Under the capacity lock give up the Unit and take another of its class for the rest of the Period: the new Assignment, or None when none is free.
    What the old one served is billed; the rental goes on under the new."""
    capacity.lock(configurations=[assignment.booking.configuration])
    booking = _locked(assignment)
    old = booking.assignments.select_related("unit", "component", "booking__configuration").get(pk=assignment.pk)
    with capacity.judged():
        new = capacity.replace(assignment=old, now=now) if old.live else None
    if new is None:
        return None
    if usage.was_active(booking):
        ending.record(booking=booking, served=usage.of_assignment(old, usage.period_of(booking), now), now=now)
    Assignment.objects.filter(pk=old.pk, handed_back_at__isnull=True).update(handed_back_at=now)
    moves.note(booking=booking, kind="replaced", at=now, key=f"replaced:{old.pk}", old=old.unit.label, new=new.unit.label)
    moves.show(booking=booking, part="servers")
    return new


def _degraded(booking: Booking, is_degraded: bool) -> None:
    Booking.objects.filter(pk=booking.pk).update(degraded=is_degraded)
    moves.show(booking=booking, part="status")


def _locked(assignment: Assignment) -> Booking:
    """The Booking's row alone: a Deployment that observes holds its own lock already, and waits for no other's."""
    return Booking.objects.select_for_update(of=("self",)).select_related("configuration").get(pk=assignment.booking_id)
