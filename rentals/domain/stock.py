"""What can be sold, as of one instant: Units, the spans in which each cannot be used, and the pools out of which one Booking is served.

Everything is told in the customer's time: a block with its guard `[a, b)` closes a Unit for every rental that would overlap `[a - turn-over, b + lead)`,
so that "is this Unit free for this Period?" is a plain overlap, and what is drawn as free is what a booking finds free.
"""

from __future__ import annotations

import bisect
import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations

from portal.kernel.period import Period

FOREVER = datetime(9000, 1, 1, tzinfo=UTC)  # an open end, with room for a turn-over behind it
EVER = datetime(1970, 1, 1, tzinfo=UTC)


class Reason(enum.StrEnum):
    """Why something cannot be had."""

    TAKEN = "taken"  # somebody rents it
    BUFFER = "buffer"  # it is being prepared for, or wiped after, somebody
    MAINTENANCE = "maintenance"
    LAYOUT = "layout"  # a larger or smaller Unit of the same Server is rented
    QUANTITY = "quantity"  # there are not that many
    LIMIT = "limit"  # a rule about length, lead, horizon, number or spend


@dataclass(frozen=True, slots=True)
class Unit:
    """`slots` is half-open. `lead` and `turn_over` are those of its UnitClass at present; what is booked keeps its own."""

    id: int
    unit_class: int
    server: int
    slots: tuple[int, int]
    lead: timedelta = timedelta(0)
    turn_over: timedelta = timedelta(0)

    @property
    def width(self) -> int:
        return self.slots[1] - self.slots[0]

    def clashes(self, other: Unit) -> bool:
        """Whether the two share a slot of one Server, so that only one of them can be rented at a time."""
        return self.server == other.server and meet(self.slots, other.slots)

    def guarded(self, during: Period) -> Period:
        return during.padded(before=self.lead, after=self.turn_over)


@dataclass(frozen=True, slots=True)
class Block:
    """A span in which `slots` of a Server (all when None) are not to be had. `during` is the rental inside the guard; equal to it without one."""

    server: int
    slots: tuple[int, int] | None
    guarded: Period
    during: Period
    reason: Reason = Reason.TAKEN


@dataclass(frozen=True, slots=True)
class Closed:
    """No rental may overlap `span` on this Unit. `during` is what stands there, without guards."""

    span: Period
    during: Period
    reason: Reason

    def reason_for(self, wanted: Period) -> Reason:
        """Why `wanted` is refused: a rental that it would not touch itself stands in its way by its guard only."""
        if self.reason is Reason.TAKEN and not self.during.overlaps(wanted):
            return Reason.BUFFER
        return self.reason


@dataclass(frozen=True, slots=True)
class Stock:
    """A Unit with its closed spans, in order; `merged` are the same as disjoint ascending spans. `beside` are rentals of other slots of the Server."""

    unit: Unit
    closed: tuple[Closed, ...]
    merged: tuple[Period, ...]
    beside: tuple[Period, ...]

    def is_free(self, during: Period) -> bool:
        following = bisect.bisect_right(self.merged, during.start, key=lambda span: span.end)
        return following == len(self.merged) or self.merged[following].start >= during.end

    def free_since(self, moment: datetime) -> datetime:
        """When a Unit that is free at `moment` became so; EVER when it always was."""
        before = bisect.bisect_right(self.merged, moment, key=lambda span: span.end)
        return self.merged[before - 1].end if before else EVER

    def reasons_for(self, wanted: Period) -> set[Reason]:
        return {closed.reason_for(wanted) for closed in self.closed if closed.span.overlaps(wanted)}


@dataclass(frozen=True, slots=True)
class Part:
    """`count` Units of one kind in every piece of a Configuration, out of `stocks`."""

    kind: str
    count: int
    stocks: tuple[Stock, ...]

    @property
    def total(self) -> int:
        """How many pieces the Units are enough for when nothing is rented."""
        return len(self.stocks) // self.count

    def free(self, during: Period) -> list[Stock]:
        return [stock for stock in self.stocks if stock.is_free(during)]

    def pieces(self, during: Period) -> int:
        """How many pieces the free Units are enough for."""
        return len(self.free(during)) // self.count


@dataclass(frozen=True, slots=True)
class Pool:
    """What one Booking may be served from: one Site, or one Fabric of it. `ready_at` is the earliest start, `nested` whether its Units exclude one another."""

    name: str
    parts: tuple[Part, ...]
    ready_at: datetime
    nested: bool

    @property
    def total(self) -> int:
        """No more pieces than this, whenever."""
        return min(part.total for part in self.parts)


def meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def stock_of(unit: Unit, blocks: Iterable[Block]) -> Stock:
    """The Unit with those of the `blocks` of its Server that concern it."""
    closed, beside = [], []
    for block in blocks:
        if block.slots is not None and not meet(block.slots, unit.slots):
            beside.append(block.guarded)
            continue
        reason = block.reason if block.slots in (None, unit.slots) else Reason.LAYOUT
        closed.append(Closed(block.guarded.padded(before=unit.turn_over, after=unit.lead), block.during, reason))
    closed.sort(key=lambda item: item.span)
    return Stock(unit, tuple(closed), merge(item.span for item in closed), tuple(beside))


def pool_of(name: str, parts: Sequence[Part], now: datetime) -> Pool:
    """A pool as of `now`: a start must leave room for the longest lead of its Units, to the whole second."""
    units = [stock.unit for part in parts for stock in part.stocks]
    lead = max((unit.lead for unit in units), default=timedelta(0))
    by_server: dict[int, list[Unit]] = {}
    for unit in units:
        by_server.setdefault(unit.server, []).append(unit)
    nested = any(one.clashes(other) for group in by_server.values() for one, other in combinations(group, 2))
    return Pool(name, tuple(parts), whole_second(now + lead), nested)


def whole_second(moment: datetime) -> datetime:
    """`moment` rounded up to a whole second."""
    return moment if moment.microsecond == 0 else moment.replace(microsecond=0) + timedelta(seconds=1)


def merge(spans: Iterable[Period]) -> tuple[Period, ...]:
    """The same instants as disjoint spans in ascending order; touching ones become one."""
    merged: list[Period] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Period(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def peak(uses: Iterable[tuple[Period, int]], within: Period) -> int:
    """The greatest amount in use at one instant of `within`. What merely follows one another is not added up."""
    changes: list[tuple[datetime, int]] = []
    for during, amount in uses:
        shared = during.clipped(within)
        if shared is not None:
            changes += [(shared.start, amount), (shared.end, -amount)]
    highest = level = 0
    for _, change in sorted(changes):  # at one instant what ends is taken off before what starts is added
        level += change
        highest = max(highest, level)
    return highest
