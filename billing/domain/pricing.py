"""What something costs. Order of prices: list price, or the price a Quote froze; term discount, or the Quote's own; then tax. One calculation serves preview,
Quote, Agreement, invoice and settlement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from billing.domain import document, proration
from billing.domain.tax import Decision
from portal.kernel.money import Money, total
from portal.kernel.period import Period

_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Wanted:
    """So much of one sku; `quantity` in the sku's own units (Units, TB)."""

    sku: str
    description: str
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class Rate:
    """A price: `amount` net per hour and unit of quantity. A rental's duration is rounded up to the granule once and is at least the minimum."""

    sku: str
    unit: str
    amount: Money
    granule_seconds: int
    minimum_seconds: int
    product_class: str
    source: str


@dataclass(frozen=True, slots=True)
class Step:
    """A term discount: `percent` off a rental of at least `from_hours`. Half-open: it holds from exactly that length up to the next step."""

    from_hours: int
    percent: Decimal


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One priced sku. `billed_hours` is quantity x hours, as printed; `discount` and `net` are whole minor units; `rule` is the sum in figures."""

    sku: str
    description: str
    quantity: Decimal
    unit: str
    rate: Money
    seconds: int
    hours: Decimal
    billed_hours: Decimal
    discount_percent: Decimal
    discount_from_terms: bool
    discount: Money
    net: Money
    granule_seconds: int
    minimum_seconds: int
    product_class: str
    rule: str
    source: str

    def as_data(self) -> dict[str, object]:
        """JSON-ready, for the snapshot of a Quote; `thaw` reads it again."""
        return {
            "sku": self.sku,
            "description": self.description,
            "quantity": document.plain(self.quantity),
            "unit": self.unit,
            "rate": document.plain(self.rate.amount),
            "currency": self.rate.currency,
            "hours": document.plain(self.hours),
            "discount_percent": document.plain(self.discount_percent),
            "discount_from_terms": self.discount_from_terms,
            "discount_minor": self.discount.minor,
            "net_minor": self.net.minor,
            "granule_seconds": self.granule_seconds,
            "minimum_seconds": self.minimum_seconds,
            "product_class": self.product_class,
            "rule": self.rule,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Preview:
    """A price with everything that explains it. `tax_known` is False for a visitor or a customer without a country: then `gross` is the net."""

    currency: str
    during: Period
    lines: tuple[PriceLine, ...]
    term_percent: Decimal
    net: Money
    tax: Money
    gross: Money
    taxes: tuple[document.TaxLine, ...]
    tax_known: bool

    @property
    def discount(self) -> Money:
        """What all discounts together took off."""
        return total([line.discount for line in self.lines], self.currency)


def term_percent(*, steps: Iterable[Step], seconds: int) -> Decimal:
    """The percent of the highest step that `seconds` reaches; 0 below the first."""
    reached = [step for step in steps if step.from_hours * proration.SECONDS_PER_HOUR <= seconds]
    return max(reached, key=lambda step: step.from_hours).percent if reached else Decimal(0)


def price_line(*, wanted: Wanted, rate: Rate, during: Period, percent: Decimal, from_terms: bool) -> PriceLine:
    """Price `wanted` for all of `during`, as if it were served in full."""
    whole = proration.Segment(wanted.sku, during, wanted.quantity)
    rated = proration.rate_rental(segments=[whole], booked=during, granule_seconds=rate.granule_seconds, minimum_seconds=rate.minimum_seconds)
    net = net_of(rate=rate.amount, quantity_seconds=rated.quantity_seconds, percent=percent)
    hours = proration.hours(rated.billed_seconds)
    billed_hours = proration.hours(rated.quantity_seconds)
    return PriceLine(
        sku=wanted.sku,
        description=wanted.description,
        quantity=wanted.quantity,
        unit=rate.unit,
        rate=rate.amount,
        seconds=rated.billed_seconds,
        hours=hours,
        billed_hours=billed_hours,
        discount_percent=percent,
        discount_from_terms=from_terms,
        discount=document.line_discount(quantity=billed_hours, price=rate.amount, net=net),
        net=net,
        granule_seconds=rate.granule_seconds,
        minimum_seconds=rate.minimum_seconds,
        product_class=rate.product_class,
        rule=rule(quantity=wanted.quantity, hours=hours, rate=rate.amount, percent=percent),
        source=rate.source,
    )


def net_of(*, rate: Money, quantity_seconds: Decimal, percent: Decimal) -> Money:
    """A line's net: exact until this one rounding."""
    return (proration.amount(rate=rate, quantity_seconds=quantity_seconds) * (1 - percent * _HUNDREDTH)).rounded()


def rule(*, quantity: Decimal, hours: Decimal, rate: Money, percent: Decimal) -> str:
    """The sum of a line in figures that need no language."""
    sum_ = f"{document.plain(quantity)} × {document.plain(hours)} h × {document.plain(rate.amount)} {rate.currency}"
    return f"{sum_} − {document.plain(percent)} %" if percent else sum_


def price(
    *, wanted: Sequence[Wanted], rates: Mapping[str, Rate], during: Period, steps: Sequence[Step], quoted_percent: Decimal | None = None
) -> tuple[PriceLine, ...]:
    """Price all of `wanted`. A discount from a Quote stands in place of the term discount. Raises KeyError for a sku without a rate."""
    percent = term_percent(steps=steps, seconds=during.seconds) if quoted_percent is None else quoted_percent
    return tuple(price_line(wanted=item, rate=rates[item.sku], during=during, percent=percent, from_terms=quoted_percent is None) for item in wanted)


def assemble(*, lines: Sequence[PriceLine], decisions: Mapping[str, Decision] | None, during: Period, currency: str) -> Preview:
    """Add tax. `decisions` by product class; None when the customer, or his country, is not known."""
    percent = max((line.discount_percent for line in lines if line.discount_from_terms), default=Decimal(0))
    if decisions is None:
        net = total([line.net for line in lines], currency)
        return Preview(currency, during, tuple(lines), percent, net, Money.zero(currency), net, (), False)
    sums = document.totals([document.Taxed(line.net, decisions[line.product_class]) for line in lines], currency)
    return Preview(currency, during, tuple(lines), percent, sums.net, sums.tax, sums.gross, sums.taxes, True)


def thaw(*, data: Mapping[str, object], during: Period) -> PriceLine:
    """The line of a Quote's snapshot again, at its frozen price, for `during`."""
    text = {key: str(value) for key, value in data.items()}
    rate = Rate(
        sku=text["sku"],
        unit=text["unit"],
        amount=Money(Decimal(text["rate"]), text["currency"]),
        granule_seconds=int(text["granule_seconds"]),
        minimum_seconds=int(text["minimum_seconds"]),
        product_class=text["product_class"],
        source=text["source"],
    )
    wanted = Wanted(text["sku"], text["description"], Decimal(text["quantity"]))
    return price_line(wanted=wanted, rate=rate, during=during, percent=Decimal(text["discount_percent"]), from_terms=bool(data["discount_from_terms"]))
