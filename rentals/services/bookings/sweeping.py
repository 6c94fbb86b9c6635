"""What the clock does to Bookings."""

from __future__ import annotations

from datetime import datetime

from rentals.services.bookings import attempts, ending, holding


def sweep(*, now: datetime) -> None:
    """Expire holds, end what is over, remind. What fails in one of them does not stop the others."""
    for act in (holding.expire_holds, ending.end_due, holding.warn_of_expiry, ending.remind):
        attempts.attempted(act=act, now=now)
