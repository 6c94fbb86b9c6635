"""Calendar months where the customer, or the seller, keeps his books."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from portal.kernel.period import Period


def month_of(*, instant: datetime, zone: str) -> Period:
    """The local calendar month of `instant`. Each boundary is local midnight converted for its own date, never by an offset kept from another day (M4)."""
    local = instant.astimezone(ZoneInfo(zone))
    return month(year=local.year, number=local.month, zone=zone)


def month(*, year: int, number: int, zone: str) -> Period:
    """The month `number` (1 to 12) of `year` in `zone`, as absolute time."""
    where = ZoneInfo(zone)
    following = (year + 1, 1) if number == 12 else (year, number + 1)
    return Period(datetime(year, number, 1, tzinfo=where), datetime(*following, 1, tzinfo=where))
