"""What of a Booking was served so far: for its bill when it ends, and for the page before that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from portal.kernel.period import Period
from rentals.domain import usage
from rentals.models import Assignment, Booking


@dataclass(frozen=True, slots=True)
class Served:
    """A stretch of one rented thing under line `line` of the Agreement. `source` is its unique name."""

    line: int
    source: str
    rental: str
    during: Period
    quantity: Decimal
    kind: str
    evidence: dict[str, str]


def was_active(booking: Booking) -> bool:
    """Whether everything that was booked was ever ready together. A start that failed costs nothing."""
    return booking.events.filter(key=Booking.State.ACTIVE).exists()


def of_assignment(assignment: Assignment, booked: Period, until: datetime) -> list[Served]:
    """What one Assignment served until `until`. `booked` is the Booking's Period: the row's own is cut when it is handed back."""
    gone = [(row.started_at, row.ended_at) for row in assignment.interruptions.all()]
    cut = usage.segments(booked=booked, ready_at=assignment.ready_at, until=assignment.handed_back_at or until, gone=gone)
    evidence = {"ready_at": _text(assignment.ready_at), "until": _text(assignment.handed_back_at or until), "unit": assignment.unit.label}
    return [
        Served(assignment.line, f"{assignment.pk}:{number}", str(assignment.rental), segment.during, Decimal(1), segment.kind, evidence)
        for number, segment in enumerate(cut)
    ]


def of_storage(booking: Booking, assignments: list[Assignment], until: datetime) -> list[Served]:
    """Storage is there from the first Server that was ready to the last that was handed back."""
    ready = [row.ready_at for row in assignments if row.ready_at is not None]
    if not booking.storage_tb or not ready:
        return []
    last = max((row.handed_back_at or until for row in assignments), default=until)
    cut = usage.segments(booked=period_of(booking), ready_at=min(ready), until=last)
    name, line = f"{booking.number}/storage", max(row.line for row in assignments) + 1
    return [Served(line, f"{name}:{number}", name, part.during, Decimal(booking.storage_tb), part.kind, {}) for number, part in enumerate(cut)]


def so_far(booking: Booking, until: datetime) -> list[Served]:
    """All that was served until `until`; nothing while the Booking has not been active."""
    if not was_active(booking):
        return []
    assignments = list(booking.assignments.select_related("unit").prefetch_related("interruptions").order_by("line", "pk"))
    return [*_of_all(assignments, period_of(booking), until), *of_storage(booking, assignments, until)]


def period_of(booking: Booking) -> Period:
    return Period(booking.during.lower, booking.during.upper)


def _of_all(assignments: list[Assignment], booked: Period, until: datetime) -> Iterator[Served]:
    for assignment in assignments:
        yield from of_assignment(assignment, booked, until)


def _text(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
