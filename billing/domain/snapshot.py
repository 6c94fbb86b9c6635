"""The frozen content of a Document: everything any renderer shows, JSON-ready, amounts in minor units, numbers as strings. No renderer computes money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from billing.domain import document
from portal.kernel.money import Money

VERSION = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a Document. On a credit note `hours` and `net` are negative and `position` is that of the invoice's line."""

    position: int
    sku: str
    description: str
    hours: Decimal
    unit: str
    unit_price: Decimal
    discount_minor: int
    net_minor: int
    product_class: str
    category: str
    tax_rate: Decimal
    rule: str
    start: datetime | None
    end: datetime | None

    def as_data(self) -> dict[str, object]:
        return {
            "position": self.position,
            "sku": self.sku,
            "description": self.description,
            "quantity": document.plain(self.hours),
            "unit": self.unit,
            "unit_price": document.plain(self.unit_price),
            "discount_minor": self.discount_minor,
            "net_minor": self.net_minor,
            "product_class": self.product_class,
            "tax_category": self.category,
            "tax_rate": document.plain(self.tax_rate),
            "rule": self.rule,
            "period_start": self.start.isoformat() if self.start else None,
            "period_end": self.end.isoformat() if self.end else None,
        }


def build(
    *,
    kind: str,
    number: str,
    issued_on: date,
    due_on: date,
    seller: Mapping[str, object],
    customer: Mapping[str, object],
    reference: Mapping[str, object],
    lines: Sequence[Line],
    sums: document.Totals,
    corrects: Mapping[str, object] | None,
    reason: str,
    payment: Mapping[str, object] | None,
    time_zone: str,
    simulated: bool,
) -> dict[str, object]:
    """The snapshot of one Document. Its periods are printed in `time_zone`; `simulated` marks paper of a demo, where no money moves."""
    starts = [line.start for line in lines if line.start]
    ends = [line.end for line in lines if line.end]
    return {
        "version": VERSION,
        "kind": kind,
        "number": number,
        "issued_on": issued_on.isoformat(),
        "due_on": due_on.isoformat(),
        "currency": sums.net.currency,
        "supply": {"start": min(starts).isoformat(), "end": max(ends).isoformat()} if starts and ends else None,
        "seller": dict(seller),
        "customer": dict(customer),
        "reference": dict(reference),
        "corrects": dict(corrects) if corrects else None,
        "reason": reason,
        "lines": [line.as_data() for line in lines],
        "taxes": [tax_data(tax) for tax in sums.taxes],
        "net_minor": sums.net.minor,
        "tax_minor": sums.tax.minor,
        "gross_minor": sums.gross.minor,
        "payment": dict(payment) if payment else None,
        "time_zone": time_zone,
        "simulated": simulated,
    }


def tax_data(tax: document.TaxLine) -> dict[str, object]:
    return {
        "category": tax.category,
        "rate": document.plain(tax.rate),
        "base_minor": tax.base.minor,
        "tax_minor": tax.tax.minor,
        "note": tax.note,
        "reason_code": tax.reason_code,
    }


def totals_of(snapshot: Mapping) -> document.Totals:
    """The totals that a snapshot states."""
    currency = snapshot["currency"]

    def money(minor: int) -> Money:
        return Money.from_minor(minor, currency)

    taxes = tuple(
        document.TaxLine(tax["category"], Decimal(tax["rate"]), money(tax["base_minor"]), money(tax["tax_minor"]), tax["note"], tax["reason_code"])
        for tax in snapshot["taxes"]
    )
    return document.Totals(money(snapshot["net_minor"]), money(snapshot["tax_minor"]), money(snapshot["gross_minor"]), taxes)
