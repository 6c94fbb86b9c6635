"""Every end gives capacity and money back by the same road, whatever brought it about: time, a customer, a failure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from billing.services import agreements
from portal.kernel.errors import Conflict
from rentals import signals
from rentals.domain import lifecycle
from rentals.models import Assignment, Booking
from rentals.queries import usage
from rentals.services.bookings import attempts, capacity, holding, moves

HELD, CONFIRMED, PREPARING, ACTIVE = Booking.State.HELD, Booking.State.CONFIRMED, Booking.State.PREPARING, Booking.State.ACTIVE
ENDING, ENDED, CANCELLED, FAILED = Booking.State.ENDING, Booking.State.ENDED, Booking.State.CANCELLED, Booking.State.FAILED
REMIND_BEFORE = timedelta(hours=1)


class AlreadyOver(Conflict):
    """This booking is over already."""

    code = "already_over"


@transaction.atomic
def end_now(*, booking: Booking, by: Any, now: datetime) -> Booking:
    """Hand the Booking back now, whatever its contract's state. Before its preparation began it is cancelled at once and paid back in full; after that it is
    `ending` until its Servers are back. A repeat changes nothing. Raises AlreadyOver, and for a hold what release raises."""
    booking = moves.locked(booking=booking)
    if booking.state in lifecycle.BOOKING.final:
        raise AlreadyOver(_("This booking is over already."))
    if booking.state == HELD:
        holding.release(booking=booking, by=by, now=now)
    elif booking.state == CONFIRMED:
        capacity.free(booking=booking)
        _finish(booking, CANCELLED, now, by, ended_early_at=now)
        signals.booking_winds_down.send(sender=Booking, booking=booking, at=now, now=now)
    elif booking.state != ENDING:
        moves.move(booking=booking, to=ENDING, now=now, by=by, ended_early_at=now)
        signals.booking_winds_down.send(sender=Booking, booking=booking, at=now, now=now)
    return booking


@transaction.atomic
def cancel(*, booking: Booking, by: Any, now: datetime) -> Booking:
    """Take the Booking back before it is ready for use. Raises AlreadyOver, IllegalMove for one that is in use: that is ended, not cancelled."""
    state = Booking.objects.values_list("state", flat=True).get(pk=booking.pk)
    if state == ACTIVE:
        lifecycle.BOOKING.check(state, CANCELLED)
    return end_now(booking=booking, by=by, now=now)


def end_due(*, now: datetime) -> int:
    """Begin to end what is in use and whose time came, and remind the Deployments of every Booking that is ending. Returns how many began to end."""
    over = Booking.objects.filter(state__in=lifecycle.STARTED_BOOKING, during__endswith__lte=now)
    begun = sum(attempts.attempted(act=_end_one, pk=pk, now=now) for pk in list(over.order_by("pk").values_list("pk", flat=True)))
    ending = Booking.objects.filter(state=ENDING, assignments__live=True, assignments__handed_back_at__isnull=True).order_by("pk").distinct()
    for booking in list(ending):
        attempts.attempted(act=_wind_down, booking=booking, now=now)
    return begun


def remind(*, now: datetime) -> None:
    """Say once that a Booking starts, or ends, within the hour: not to who has booked it just now."""
    window = (now, now + REMIND_BEFORE)
    starting = Booking.objects.filter(state=CONFIRMED, during__startswith__range=window, created_at__lt=now - REMIND_BEFORE)
    for booking in starting.select_related("configuration").order_by("pk"):
        moves.tell(booking=booking, kind="starts_soon", now=now)
    ending = Booking.objects.filter(state=ACTIVE, during__endswith__range=window, during__startswith__lt=now - REMIND_BEFORE)
    for booking in ending.select_related("configuration").order_by("pk"):
        moves.tell(booking=booking, kind="ends_soon", now=now)


def hand_back(*, assignment: Assignment, booking: Booking, at: datetime, now: datetime) -> None:
    """With the Booking locked: the tenant is out since `at`. Bill what was served, sell what is left, and when it was the last Server finish the Booking."""
    Assignment.objects.filter(pk=assignment.pk).update(handed_back_at=at)
    assignment.handed_back_at = at
    if usage.was_active(booking):
        record(booking=booking, served=usage.of_assignment(assignment, usage.period_of(booking), at), now=now)
    capacity.give_back(assignment=assignment, at=at)
    moves.show(booking=booking, part="servers")
    if booking.state in lifecycle.BOOKING.final or booking.assignments.filter(live=True, handed_back_at__isnull=True).exists():
        return
    if booking.state in lifecycle.STARTED_BOOKING:
        moves.move(booking=booking, to=ENDING, now=now)
    _finish(booking, _outcome(booking), now, None)


def record(*, booking: Booking, served: list[usage.Served], now: datetime) -> None:
    """Report served and interrupted time to billing, each stretch once."""
    for part in served:
        agreements.record_usage(
            number=booking.agreement,
            position=part.line,
            source=part.source,
            rental=part.rental,
            during=part.during,
            quantity=part.quantity,
            kind=part.kind,
            evidence=part.evidence,
            now=now,
        )


def _outcome(booking: Booking) -> str:
    if usage.was_active(booking):
        return ENDED
    return CANCELLED if booking.ended_early_at is not None else FAILED


def _finish(booking: Booking, outcome: str, now: datetime, by: Any, **changes: Any) -> None:
    """Settle with billing and say how it ended."""
    if usage.was_active(booking):
        assignments = list(booking.assignments.order_by("pk"))
        record(booking=booking, served=usage.of_storage(booking, assignments, now), now=now)
    settlement = agreements.end(number=booking.agreement, now=now)
    moves.move(booking=booking, to=outcome, now=now, by=by, **changes)
    facts: dict[str, Any] = {
        "served": str(settlement.served),
        "refunded": str(settlement.credit),
        "has_refund": bool(settlement.credit),
        "credit_note": settlement.credit_note,
    }
    moves.note(booking=booking, kind="settled", at=now, **facts)
    moves.tell(booking=booking, kind=outcome, now=now, **facts)


@transaction.atomic
def _wind_down(*, booking: Booking, now: datetime) -> bool:
    signals.booking_winds_down.send(sender=Booking, booking=booking, at=booking.ended_early_at or min(now, booking.during.upper), now=now)
    return True


def _end_one(*, pk: int, now: datetime) -> bool:
    with transaction.atomic():
        booking = moves.locked(booking=Booking(pk=pk))
        if booking.state not in lifecycle.STARTED_BOOKING or booking.during.upper > now:
            return False
        moves.move(booking=booking, to=ENDING, now=now)
    return True
