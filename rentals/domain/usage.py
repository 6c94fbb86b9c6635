"""Which seconds of an Assignment were served. Nothing before it was ready, after it was handed back or beyond what was booked is; nor while it was gone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from portal.kernel.period import Period
from rentals.domain.stock import merge

SERVED, INTERRUPTED = "served", "interrupted"


@dataclass(frozen=True, slots=True)
class Segment:
    during: Period
    kind: str


def segments(*, booked: Period, ready_at: datetime | None, until: datetime, gone: Iterable[tuple[datetime, datetime | None]] = ()) -> list[Segment]:
    """The time from the later of start and ready to the earlier of end and `until`, cut where the Server was gone. Empty when it was never ready then."""
    if ready_at is None or max(booked.start, ready_at) >= min(booked.end, until):
        return []
    held = Period(max(booked.start, ready_at), min(booked.end, until))
    lost = (Period(start, end or held.end) for start, end in gone if (end or held.end) > start)
    cut: list[Segment] = []
    at = held.start
    for span in merge(clipped for clipped in (span.clipped(held) for span in lost) if clipped is not None):
        if at < span.start:
            cut.append(Segment(Period(at, span.start), SERVED))
        cut.append(Segment(span, INTERRUPTED))
        at = span.end
    if at < held.end:
        cut.append(Segment(Period(at, held.end), SERVED))
    return cut
