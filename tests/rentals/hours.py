"""Units, rentals and histories in whole hours, for the arithmetic of capacity."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from portal.kernel.period import Period
from rentals.domain import availability
from rentals.domain.stock import Block, Part, Pool, Reason, Stock, Unit, pool_of, stock_of

BASE = datetime(2026, 12, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = 24


def at(hours: float) -> datetime:
    return BASE + hours * HOUR


def span(start: float, end: float) -> Period:
    return Period(at(start), at(end))


def unit(number: int, *, server: int | None = None, slots: tuple[int, int] = (0, 8), lead: float = 0, turn_over: float = 0) -> Unit:
    return Unit(number, 1, number if server is None else server, slots, lead * HOUR, turn_over * HOUR)


def rental(booked: Unit, start: float, end: float, reason: Reason = Reason.TAKEN) -> Block:
    during = span(start, end)
    return Block(booked.server, booked.slots, booked.guarded(during), during, reason)


def maintenance(server: int, start: float, end: float) -> Block:
    return Block(server, None, span(start, end), span(start, end), Reason.MAINTENANCE)


def stocks(units: list[Unit], blocks: list[Block]) -> tuple[Stock, ...]:
    return tuple(stock_of(unit, [block for block in blocks if block.server == unit.server]) for unit in units)


def flat(units: list[Unit], blocks: list[Block], *, count: int = 1, now: float = -1000) -> Pool:
    return pool_of("fra1", [Part("a100", count, stocks(units, blocks))], at(now))


def decided(pool: Pool, start: float, end: float, quantity: int = 1, until: float = DAY * 30):
    return availability.decide([pool], span(start, end), quantity, until=at(until))


hours = st.integers(0, 14)


@st.composite
def spans(draw) -> Period:
    start = draw(hours)
    return span(start, start + draw(st.integers(1, 6)))


@st.composite
def histories(draw, *, most_units: int = 4) -> tuple[list[Unit], list[Block]]:
    """Units with buffers and rentals that the exclusion constraint would permit."""
    lead, turn_over = draw(st.sampled_from([(0, 0), (1, 0), (0, 2), (1, 1)]))
    units = [unit(number, lead=lead, turn_over=turn_over) for number in range(draw(st.integers(1, most_units)))]
    blocks: list[Block] = []
    for _ in range(draw(st.integers(0, 8))):
        booked, during = draw(st.sampled_from(units)), draw(spans())
        block = Block(booked.server, booked.slots, booked.guarded(during), during)
        if not any(block.server == other.server and block.guarded.overlaps(other.guarded) for other in blocks):
            blocks.append(block)
    return units, blocks
