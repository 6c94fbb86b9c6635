"""Which Units serve a Booking. A flat class never needs more than a count; where Units nest, the choice keeps the most of the others usable."""

from __future__ import annotations

from datetime import timedelta

from portal.kernel.period import Period
from rentals.domain.stock import FOREVER, Pool, Stock


def largest_quantity(pool: Pool, during: Period) -> int:
    """How many pieces of the Configuration the pool can serve during the whole of `during`."""
    bound = min(part.pieces(during) for part in pool.parts)
    if not pool.nested:
        return bound
    return next((quantity for quantity in range(bound, 0, -1) if place(pool, during, quantity) is not None), 0)


def place(pool: Pool, during: Period, quantity: int) -> list[tuple[str, Stock]] | None:
    """`quantity` pieces on free Units, as pairs of a part's kind and its Unit, all or nothing: None when they do not fit.

    Wide Units are placed first, each where it costs the parts still to be placed the fewest Units. Among equals the Unit beside a tenant comes first (so that
    whole Servers stay whole), then the one that became free last (so that long gaps stay long), then the lower id. Exact for two levels of nesting.
    """
    chosen: list[tuple[str, Stock]] = []
    waiting = sorted(pool.parts, key=lambda part: -max((stock.unit.width for stock in part.stocks), default=0))
    free = {part.kind: part.free(during) for part in waiting}
    for position, part in enumerate(waiting):
        later = [stock for other in waiting[position + 1 :] for stock in free[other.kind]] if pool.nested else []
        needed = part.count * quantity
        for stock in sorted(free[part.kind], key=lambda stock: _cost(stock, later, during)):
            if needed and not (pool.nested and any(stock.unit.clashes(other.unit) for _, other in chosen)):
                chosen.append((part.kind, stock))
                needed -= 1
        if needed:
            return None
    return chosen


def _cost(stock: Stock, later: list[Stock], during: Period) -> tuple[int, bool, timedelta, int]:
    lost = sum(stock.unit.clashes(other.unit) for other in later)
    alone = not any(span.overlaps(during) for span in stock.beside)
    return lost, alone, FOREVER - stock.free_since(during.start), stock.unit.id
