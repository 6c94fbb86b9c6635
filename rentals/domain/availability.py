"""When is it free, and if not: why not, and when then? One arithmetic for the catalog, the calendar and the admission of a Booking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from portal.kernel.period import Period
from rentals.domain import placement
from rentals.domain.stock import Part, Pool, Reason, Stock, merge


@dataclass(frozen=True, slots=True)
class Step:
    """`free` pieces of a Configuration can be in use at every instant of `[start, end)`."""

    start: datetime
    end: datetime
    free: int

    @property
    def during(self) -> Period:
        return Period(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Availability:
    """What the catalog knows of one Configuration as of one instant.

    `starts_at` is the earliest start that leaves room for preparation and `free_now` how many can start then for the shortest term. `next_free_at` is the
    earliest start of one piece for the shortest term (None: not within the horizon). `steps` cover the asked span without a gap.
    """

    sku: str
    total: int
    starts_at: datetime
    free_now: int
    next_free_at: datetime | None
    steps: tuple[Step, ...]
    free_during: int | None = None  # how many can be had for all of a Period that was asked for

    def least(self, during: Period) -> int:
        """The fewest free at any instant of `during`: what a calendar cell shows. 0 outside the asked span."""
        return min((step.free for step in self.steps if step.during.overlaps(during)), default=0)

    def most(self, during: Period) -> int:
        """The most free at any instant of `during`."""
        return max((step.free for step in self.steps if step.during.overlaps(during)), default=0)


@dataclass(frozen=True, slots=True)
class Admission:
    """A Booking fits: on these Units, as pairs of a part's kind and its Unit."""

    pool: Pool
    chosen: tuple[tuple[str, Stock], ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A Booking does not fit. `limiting` names the kind that is short, `instants` when; the rest is what the customer can have instead."""

    reason: Reason
    limiting: str
    instants: tuple[Period, ...]
    needed: int
    free: int
    earliest_start: datetime | None
    largest_quantity: int


def decide(pools: Sequence[Pool], during: Period, quantity: int, *, until: datetime) -> Admission | Refusal:
    """Admit `quantity` pieces for `during`, all or nothing, or say why not. Other starts are looked for up to `until`."""
    open_pools = [pool for pool in pools if pool.ready_at <= during.start]
    room = [placement.largest_quantity(pool, during) for pool in open_pools]
    fitting = [(free, index) for index, free in enumerate(room) if free >= quantity]
    if fitting:
        pool = open_pools[min(fitting)[1]]  # the one that this leaves the least of: larger ones stay whole for larger Bookings
        return Admission(pool, tuple(placement.place(pool, during, quantity) or ()))
    start = earliest_start(pools, during.length, quantity, not_before=during.start, until=until)
    short = _short(pools, open_pools, during, quantity)
    return Refusal(*short, earliest_start=start, largest_quantity=max(room, default=0))


def _short(pools: Sequence[Pool], open_pools: list[Pool], during: Period, quantity: int) -> tuple[Reason, str, tuple[Period, ...], int, int]:
    """The reason of a refusal, the kind that is short, when, how many Units of it are needed and how many are free."""
    large = [pool for pool in pools if pool.total >= quantity]
    if not large:
        return Reason.QUANTITY, *_scarcest(pools, during, quantity)
    large = [pool for pool in large if pool in open_pools]
    if not large:
        return Reason.LIMIT, "", (during,), quantity, 0
    best = max(large, key=lambda pool: min(part.pieces(during) for part in pool.parts))
    part = min(best.parts, key=lambda part: part.pieces(during))
    needed = part.count * quantity
    return why(part, during, needed), part.kind, short_spans(part, during, needed), needed, len(part.free(during))


def _scarcest(pools: Sequence[Pool], during: Period, quantity: int) -> tuple[str, tuple[Period, ...], int, int]:
    parts = [part for pool in pools for part in pool.parts]
    if not parts:
        return "", (during,), quantity, 0
    part = min(parts, key=lambda part: part.total)
    return part.kind, (during,), part.count * quantity, len(part.stocks)


def why(part: Part, during: Period, needed: int) -> Reason:
    """The mildest reason without which the part would have enough Units: a buffer, then maintenance, then another Layout, then other tenants.

    A part that has enough free Units of its own is short because they exclude those of another part: that is the Layout."""
    if len(part.free(during)) >= needed:
        return Reason.LAYOUT
    pardoned: set[Reason] = set()
    for reason in (Reason.BUFFER, Reason.MAINTENANCE, Reason.LAYOUT):
        pardoned.add(reason)
        if sum(stock.reasons_for(during) <= pardoned for stock in part.stocks) >= needed:
            return reason
    return Reason.TAKEN


def short_spans(part: Part, during: Period, needed: int, most: int = 10) -> tuple[Period, ...]:
    """When within `during` fewer than `needed` Units are free; all of it when only no Unit stays free throughout."""
    short = merge(piece.during for piece in _pieces([part], during, lambda free: free[0]) if piece.free < needed)
    return short[:most] or (during,)


def earliest_start(pools: Iterable[Pool], length: timedelta, quantity: int, *, not_before: datetime, until: datetime) -> datetime | None:
    """The first start from `not_before` on, at most `until`, at which `quantity` pieces are free for `length`; None when there is none."""
    starts: list[datetime] = []
    for pool in pools:
        if pool.total < quantity:
            continue
        first = max(not_before, pool.ready_at)
        ends = {span.end for part in pool.parts for stock in part.stocks for span in stock.merged if first < span.end}
        for start in sorted({first, *ends}):
            if start > min([until, *starts]):
                break
            if placement.largest_quantity(pool, Period.starting(start, length)) >= quantity:
                starts.append(start)
                break
    return min(starts, default=None)


def steps(pools: Sequence[Pool], span: Period) -> tuple[Step, ...]:
    """How many pieces are free over time: at each instant the most that one pool can serve."""
    curves = [_curve(pool, span) for pool in pools]
    edges = sorted({span.start, span.end, *(step.start for curve in curves for step in curve)})
    levels = [iter(curve) for curve in curves]
    present: list[Step | None] = [next(level, None) for level in levels]
    pieces = []
    for start, end in zip(edges, edges[1:], strict=False):
        for index, step in enumerate(present):
            if step is not None and step.end <= start:
                present[index] = next(levels[index])
        pieces.append(Step(start, end, max((step.free for step in present if step is not None), default=0)))
    return _joined(pieces)


def _curve(pool: Pool, span: Period) -> tuple[Step, ...]:
    counts = [part.count for part in pool.parts]
    pieces = _pieces(pool.parts, span, lambda free: min(number // count for number, count in zip(free, counts, strict=True)))
    if pool.nested:
        pieces = [Step(piece.start, piece.end, placement.largest_quantity(pool, piece.during)) for piece in pieces]
    return _joined(pieces)


def _pieces(parts: Sequence[Part], span: Period, combine: Callable[[list[int]], int]) -> list[Step]:
    """The curve of `combine(the numbers of free Units, one for each part)`, cut wherever any Unit opens or closes."""
    changes: dict[datetime, list[tuple[int, int]]] = {span.start: [], span.end: []}
    free = [len(part.stocks) for part in parts]
    for index, part in enumerate(parts):
        for closed in (closed.clipped(span) for stock in part.stocks for closed in stock.merged):
            if closed is not None:
                changes.setdefault(closed.start, []).append((index, -1))
                changes.setdefault(closed.end, []).append((index, +1))
    edges = sorted(changes)
    pieces = []
    for start, end in zip(edges, edges[1:], strict=False):
        for index, change in changes[start]:
            free[index] += change
        pieces.append(Step(start, end, combine(free)))
    return pieces


def _joined(pieces: Iterable[Step]) -> tuple[Step, ...]:
    joined: list[Step] = []
    for piece in pieces:
        if joined and joined[-1].free == piece.free:
            joined[-1] = Step(joined[-1].start, piece.end, piece.free)
        else:
            joined.append(piece)
    return tuple(joined)
