"""Served time to billed time to amounts. Absolute seconds in UTC; the granule rounds once per rental; money is rounded once, on the line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from portal.kernel.money import Money
from portal.kernel.period import Period

SECONDS_PER_HOUR = 3600
_MICROSECOND = timedelta(microseconds=1)
_NONE = timedelta(0)


class OverlappingUsage(ValueError):
    """One second of a rental was reported as served twice."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A span of one rental. kind: served | interrupted | unknown. Only served time is billed, and nothing that another segment says was not served."""

    rental: str
    during: Period
    quantity: Decimal
    kind: str = "served"


@dataclass(frozen=True, slots=True)
class Rated:
    """One rental, rated. `held_seconds` counts what was served and what we failed to serve: it decides the term discount, so a fault of ours never costs
    the customer his discount. `quantity_seconds` is what money is made of: quantity times billed seconds, exact."""

    rental: str
    served_seconds: int
    billed_seconds: int
    held_seconds: int
    quantity_seconds: Decimal


def rate_rental(*, segments: Sequence[Segment], booked: Period, granule_seconds: int, minimum_seconds: int) -> Rated:
    """Rate the segments of one rental inside `booked`; raises OverlappingUsage.

    The whole duration is rounded up once to the granule. The minimum term holds for a rental that we served as agreed: it shrinks by a late start and
    falls away when anything was interrupted or unknown. Nothing served costs nothing.
    """
    rental = segments[0].rental
    inside = [(span, segment) for segment in segments if (span := segment.during.clipped(booked))]
    failed = _union(span for span, segment in inside if segment.kind != "served")
    served = _served(inside, failed)
    late = min((span.start for span, _ in inside), default=booked.start) - booked.start
    unserved = sum((span.length for span in failed), late)
    length = sum((span.length for span, _ in served), _NONE)
    if not length:
        return Rated(rental, 0, 0, unserved // timedelta(seconds=1), Decimal(0))
    least = _NONE if failed else max(_NONE, timedelta(seconds=minimum_seconds) - late)
    billed = max(_rounded_up(length, granule_seconds), _rounded_up(least, granule_seconds))
    exact = sum((quantity * _microseconds(span.length) for span, quantity in served), Decimal(0)) + served[-1][1] * _microseconds(billed - length)
    second = timedelta(seconds=1)
    return Rated(rental, length // second, billed // second, (length + unserved) // second, exact / 1_000_000)


def rate_line(*, segments: Iterable[Segment], booked: Period, granule_seconds: int, minimum_seconds: int) -> tuple[Rated, ...]:
    """Rate every rental among `segments`, in order of name."""
    rentals: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        rentals[segment.rental].append(segment)
    return tuple(
        rate_rental(segments=rentals[name], booked=booked, granule_seconds=granule_seconds, minimum_seconds=minimum_seconds) for name in sorted(rentals)
    )


def amount(*, rate: Money, quantity_seconds: Decimal) -> Money:
    """The unrounded amount of so many quantity-seconds at `rate` per hour: one division, at the very end."""
    return Money(rate.amount * quantity_seconds / SECONDS_PER_HOUR, rate.currency)


def hours(quantity_seconds: Decimal | int) -> Decimal:
    """Seconds as hours to the six decimals that Documents print."""
    return (Decimal(quantity_seconds) / SECONDS_PER_HOUR).quantize(Decimal("0.000001"))


def _served(inside: list[tuple[Period, Segment]], failed: list[Period]) -> list[tuple[Period, Decimal]]:
    spans = sorted(((span, segment.quantity) for span, segment in inside if segment.kind == "served"), key=lambda item: item[0])
    for (earlier, _), (later, _) in zip(spans, spans[1:], strict=False):
        if earlier.overlaps(later):
            raise OverlappingUsage(f"{earlier} and {later}")
    return [(part, quantity) for span, quantity in spans for part in _without(span, failed)]


def _union(spans: Iterable[Period]) -> list[Period]:
    merged: list[Period] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Period(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _without(span: Period, holes: list[Period]) -> list[Period]:
    parts: list[Period] = []
    start: datetime = span.start
    for hole in holes:
        if hole.overlaps(span):
            if hole.start > start:
                parts.append(Period(start, hole.start))
            start = max(start, hole.end)
    if start < span.end:
        parts.append(Period(start, span.end))
    return parts


def _rounded_up(length: timedelta, granule_seconds: int) -> timedelta:
    granule = timedelta(seconds=granule_seconds)
    return -(-length // granule) * granule


def _microseconds(length: timedelta) -> int:
    return length // _MICROSECOND
