"""What the story must cost, reckoned from the catalog's price file alone: none of billing's code has a hand in it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from django.conf import settings

CENT = Decimal("0.01")
GERMAN_VAT = Decimal("0.19")  # the demo's seller and the story's customer are both in Germany


@dataclass(frozen=True, slots=True)
class Amounts:
    """Net, tax and gross in one currency."""

    net: Decimal
    tax: Decimal

    @property
    def gross(self) -> Decimal:
        return self.net + self.tax

    def __sub__(self, other: Amounts) -> Amounts:
        return Amounts(self.net - other.net, self.tax - other.tax)


def cost(*, sku: str, currency: str, hours: int) -> Amounts:
    """`hours` of one Unit of `sku`, below any term discount, with tax."""
    net = (rate(sku=sku, currency=currency) * hours).quantize(CENT, ROUND_HALF_UP)
    return Amounts(net, (net * GERMAN_VAT).quantize(CENT, ROUND_HALF_UP))


def rate(*, sku: str, currency: str) -> Decimal:
    """The list price of an hour. Raises LookupError."""
    with (Path(settings.BASE_DIR) / "rentals" / "data" / "prices.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["sku"] == sku and row["currency"] == currency:
                return Decimal(row["rate"])
    raise LookupError(f"no price for {sku} in {currency}")
