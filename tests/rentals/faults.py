"""Bookings on the floor at the moments where things go wrong, and what the operator is told."""

from datetime import timedelta

from portal.accounts.models import Notification

MINUTE = timedelta(minutes=1)


def due(desk, floor, **wish):
    """A Booking whose preparation is due now."""
    booking = desk.book(**{"start": 1, **wish})
    floor.now = booking.during.lower - 10 * MINUTE
    return booking


def running(desk, floor, **wish):
    booking = due(desk, floor, **wish)
    floor.play_to(booking, "ready")
    return booking


def alerts(cast, kind):
    return Notification.objects.filter(user=cast.olu, kind=kind)


def handed_back(desk, floor):
    booking = running(desk, floor, hours=1)
    floor.now = booking.during.upper
    return booking
