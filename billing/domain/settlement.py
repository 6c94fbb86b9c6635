"""What a rental costs once it is over: each line rated by what was served, the difference to what was invoiced given back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from billing.domain import pricing, proration
from portal.kernel.money import Money
from portal.kernel.period import Period


@dataclass(frozen=True, slots=True)
class Sold:
    """A line as it was invoiced. `billed_hours` is quantity x hours as printed; `credited` is what earlier credit notes already gave back (positive)."""

    position: int
    rate: Money
    percent: Decimal
    percent_from_terms: bool
    granule_seconds: int
    minimum_seconds: int
    net: Money
    billed_hours: Decimal
    credited: Money


@dataclass(frozen=True, slots=True)
class Settled:
    """One line, settled. `credit` is negative or zero and `credit_hours` goes with it, so that hours x rate - discount gives the credit again."""

    position: int
    rated: tuple[proration.Rated, ...]
    percent: Decimal
    served: Money
    credit: Money
    credit_hours: Decimal


def settle(*, sold: Sold, segments: Sequence[proration.Segment], booked: Period, steps: Sequence[pricing.Step]) -> Settled:
    """Rate what was served of `sold`. A discount for length is re-rated by the length held; a quoted one stays. Never more than was invoiced."""
    rated = proration.rate_line(segments=segments, booked=booked, granule_seconds=sold.granule_seconds, minimum_seconds=sold.minimum_seconds)
    quantity_seconds = sum((item.quantity_seconds for item in rated), Decimal(0))
    percent = _percent(sold, rated, booked, steps)
    owed = pricing.net_of(rate=sold.rate, quantity_seconds=quantity_seconds, percent=percent)
    served = min(owed, sold.net, key=lambda money: money.amount)
    credit = min(served + sold.credited - sold.net, Money.zero(sold.net.currency), key=lambda money: money.amount)
    hours = proration.hours(quantity_seconds) - sold.billed_hours if credit else Decimal(0)
    return Settled(sold.position, rated, percent, served, credit, hours)


def _percent(sold: Sold, rated: Sequence[proration.Rated], booked: Period, steps: Sequence[pricing.Step]) -> Decimal:
    held = max((item.held_seconds for item in rated), default=0)
    if not sold.percent_from_terms or held >= booked.seconds:
        return sold.percent
    return min(sold.percent, pricing.term_percent(steps=steps, seconds=held))
