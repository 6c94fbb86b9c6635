"""How a Booking moves, and whom that tells: its timeline, the audit log, the floors above, the pages that are open."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.accounts.services import audit, notifications
from portal.kernel.errors import LostRace
from portal.live import push
from rentals.domain import lifecycle
from rentals.models import Booking, BookingEvent, Deployment
from rentals.services import announcements


def locked(*, booking: Booking) -> Booking:
    """The row as it stands, locked until the transaction ends. Locks are taken in one order everywhere: UnitClasses, Deployments, Booking, billing's."""
    list(Deployment.objects.select_for_update().filter(assignment__booking=booking).order_by("pk"))
    return Booking.objects.select_for_update(of=("self",)).select_related("configuration").get(pk=booking.pk)


def move(*, booking: Booking, to: str, now: datetime, by: Any = None, **changes: Any) -> None:
    """Move the Booking by compare-and-set, and tell. `changes` are other fields of the row. Raises IllegalMove, LostRace."""
    lifecycle.BOOKING.check(booking.state, to)
    if not Booking.objects.filter(pk=booking.pk, state=booking.state).update(state=to, state_since=now, **changes):
        raise LostRace()
    for name, value in {"state": to, "state_since": now, **changes}.items():
        setattr(booking, name, value)
    note(booking=booking, kind=to, at=now)
    audit.record(verb=f"booking.{to}", subject=booking.number, by=by, organisation=booking.organisation_id, now=now)
    announcements.announce(kind="booking_changed", subject=booking.number, now=now, booking=booking.number, state=to)
    show(booking=booking, part="status")


def note(*, booking: Booking, kind: str, at: datetime, key: str = "", **facts: object) -> bool:
    """Write an event onto the timeline, once by its key (its kind when none is given). Returns whether it is new."""
    row = BookingEvent(booking=booking, at=at, kind=kind, key=key or kind, facts=facts)
    known = BookingEvent.objects.filter(booking=booking, key=row.key).exists()
    BookingEvent.objects.bulk_create([row], ignore_conflicts=True)
    show(booking=booking, part="events")
    return not known


def tell(*, booking: Booking, kind: str, now: datetime, key: str = "", **facts: object) -> None:
    """A mail and a notice to those of the Organisation who book, once by kind and `key`."""
    people = {person.pk: person for person in accounts.members_of(booking.organisation_id, roles.BOOKERS)}
    notifications.notify(
        users=people.values(),
        kind=f"booking_{kind}",
        key=f"{booking.number}:{kind}{key}",
        subject=booking.number,
        path=path_of(booking=booking),
        now=now,
        organisation=booking.organisation_id,
        booking=booking.number,
        configuration=booking.configuration.name,
        configuration_zh=booking.configuration.name_zh,
        quantity=booking.quantity,
        start=booking.during.lower.isoformat(),
        end=booking.during.upper.isoformat(),
        **facts,
    )


def show(*, booking: Booking, part: str) -> None:
    """Tell the pages that are open to fetch this part again."""
    push.hint(f"booking-{booking.number}", part)


def path_of(*, booking: Booking) -> str:
    """Where the Booking's page is."""
    return f"/bookings/{booking.number}/"
