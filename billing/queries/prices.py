"""What things cost now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from billing.domain import pricing
from billing.models import Price, TermDiscount
from billing.queries import parties
from portal.kernel.errors import Conflict, InvalidInput
from portal.kernel.money import Money
from portal.kernel.period import Period


class NoPrice(Conflict):
    """There is no price for this in this currency."""

    code = "no_price"


def list_rates(*, skus: Iterable[str], currency: str, now: datetime) -> dict[str, pricing.Rate]:
    """The list prices valid at `now`, by sku, in one query. A sku without a price in `currency` is absent: never 0.00."""
    rows = Price.objects.filter(sku__in=set(skus), currency=currency, valid_from__lte=now).order_by("sku", "-valid_from", "-id").distinct("sku")
    return {
        row.sku: pricing.Rate(
            row.sku, row.unit, Money(row.rate, row.currency), row.granule_seconds, row.minimum_seconds, row.product_class, row.source
        )
        for row in rows
    }  # fmt: skip


def term_steps() -> list[pricing.Step]:
    """The term discounts, shortest first."""
    return [pricing.Step(hours, percent) for hours, percent in TermDiscount.objects.values_list("from_hours", "percent")]


def preview(
    *, organisation: Any, wanted: Sequence[pricing.Wanted], during: Period, currency: str, now: datetime, discount_percent: Decimal | None = None
) -> pricing.Preview:
    """The price of `wanted` with every line explained. Without an organisation, or before it has a country, net only. `discount_percent` is a Quote's and
    stands in place of the term discount. Raises NoPrice, InvalidInput (a quantity below or equal to 0, a discount outside 0 to 100), CannotBeTaxed."""
    _refuse_nonsense(wanted, discount_percent)
    lines = price(wanted=wanted, during=during, currency=currency, now=now, steps=term_steps(), discount_percent=discount_percent)
    decisions = None
    if organisation is not None and organisation.country:
        classes = {line.product_class for line in lines}
        decisions = parties.treatment(organisation=organisation, product_classes=classes, now=now).decisions
    return pricing.assemble(lines=lines, decisions=decisions, during=during, currency=currency)


def price(
    *,
    wanted: Sequence[pricing.Wanted],
    during: Period,
    currency: str,
    now: datetime,
    steps: Sequence[pricing.Step],
    discount_percent: Decimal | None = None,
) -> tuple[pricing.PriceLine, ...]:
    """The lines of `wanted` at the prices valid at `now`; raises NoPrice."""
    rates = list_rates(skus=[item.sku for item in wanted], currency=currency, now=now)
    missing = sorted({item.sku for item in wanted} - rates.keys())
    if missing:
        message = _("There is no price in %(currency)s for %(skus)s. Choose another currency or ask us for a quote.")
        raise NoPrice(message % {"currency": currency, "skus": ", ".join(missing)}, skus=missing, currency=currency)
    return pricing.price(wanted=wanted, rates=rates, during=during, steps=steps, quoted_percent=discount_percent)


def _refuse_nonsense(wanted: Sequence[pricing.Wanted], discount_percent: Decimal | None) -> None:
    if not wanted or any(item.quantity <= 0 for item in wanted):
        raise InvalidInput(_("The quantity must be more than 0."), field="quantity")
    if discount_percent is not None and not 0 <= discount_percent <= 100:
        raise InvalidInput(_("A discount lies between 0 and 100 percent."), field="discount_percent")
