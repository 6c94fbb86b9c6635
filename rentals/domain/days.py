"""Calendar days of a zone, as the sparkline and the heat map show them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from portal.kernel.period import Period
from rentals.domain.availability import Availability
from rentals.domain.offers import Day


def midnight(day: date, zone: tzinfo) -> datetime:
    """The first instant of `day` in `zone`, in UTC. Where clocks jump over midnight it is the instant of the jump."""
    return datetime.combine(day, time(0), zone).astimezone(UTC)


def span_of(first: date, count: int, zone: tzinfo) -> Period:
    """`count` whole days from `first` on; 23 or 25 hours long where clocks change."""
    return Period(midnight(first, zone), midnight(first + timedelta(days=count), zone))


def days_of(found: Availability, first: date, count: int, zone: tzinfo) -> tuple[Day, ...]:
    """What is free on each of `count` days from `first` on. Of a day that has begun only what is left of it counts, when the asked span began now."""
    out = []
    for offset in range(count):
        day = first + timedelta(days=offset)
        during = span_of(day, 1, zone)
        out.append(Day(day, found.least(during), found.most(during), found.total))
    return tuple(out)
