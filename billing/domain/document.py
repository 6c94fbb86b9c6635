"""From lines to totals to tax, in the order that EN 16931 fixes (BR-CO-10, 13, 14, 15, 17), and the canonical form of what is issued."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from billing.domain.tax import Decision
from portal.kernel.money import Money, total

Key = tuple[str, Decimal]  # tax category and rate


class ExceedsInvoice(ValueError):
    """The credit would exceed what the invoice says."""


@dataclass(frozen=True, slots=True)
class TaxLine:
    """The tax on all lines of one category and rate."""

    category: str
    rate: Decimal
    base: Money
    tax: Money
    note: str = ""
    reason_code: str = ""

    @property
    def key(self) -> Key:
        return (self.category, self.rate)


@dataclass(frozen=True, slots=True)
class Totals:
    net: Money
    tax: Money
    gross: Money
    taxes: tuple[TaxLine, ...]


@dataclass(frozen=True, slots=True)
class Taxed:
    """A line's rounded net and how it is taxed."""

    net: Money
    decision: Decision


def totals(lines: Sequence[Taxed], currency: str) -> Totals:
    """Sum of the rounded nets; per category and rate the tax on the sum of its nets, rounded once; gross = net + tax."""
    taxes = tuple(_tax_line(key, group) for key, group in _grouped(lines).items())
    return _summed(taxes, currency)


def credit_totals(lines: Sequence[Taxed], *, invoice: Totals, earlier: Sequence[Totals]) -> Totals:
    """Totals of the next credit note on `invoice` after the notes `earlier`; all amounts of notes are negative. Raises ExceedsInvoice.

    Tax is cumulative: the tax on all that is credited so far, less what earlier notes took, so that crediting every line, in any order and cut, gives the
    invoice's tax exactly (case M9).
    """
    currency = invoice.net.currency
    billed = {tax.key: tax for tax in invoice.taxes}
    base_before = _by_key(earlier, "base", currency)
    tax_before = _by_key(earlier, "tax", currency)
    taxes = []
    for key, group in _grouped(lines).items():
        base = total([line.net for line in group], currency)
        so_far = base + base_before[key]
        if key not in billed or base.amount >= 0 or -so_far > billed[key].base:
            raise ExceedsInvoice(f"{base} at {key[0]} {key[1]} %")
        tax = max((so_far * key[1] * Decimal("0.01")).rounded(), -billed[key].tax) - tax_before[key]
        decision = group[0].decision
        taxes.append(TaxLine(key[0], key[1], base, tax, decision.note, decision.reason_code))
    return _summed(tuple(taxes), currency)


def line_discount(*, quantity: Decimal, price: Money, net: Money) -> Money:
    """What was taken off quantity x price to reach `net`: a whole number of minor units, so that a reader can repeat the sum."""
    return (price * quantity).rounded() - net


def open_minor(*, gross: int, paid: int, credited: int, refunded: int) -> int:
    """What a customer still owes on an invoice. Negative: we owe him."""
    return gross - credited - paid + refunded


def canonical(snapshot: Mapping[str, object]) -> bytes:
    """The bytes that are hashed: JSON with sorted keys and no spaces. Refuses whatever has no one canonical form."""
    _refuse_inexact(snapshot)
    return json.dumps(snapshot, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def sha256(snapshot: Mapping[str, object]) -> str:
    return hashlib.sha256(canonical(snapshot)).hexdigest()


def plain(number: Decimal) -> str:
    """A Decimal as short plain digits: 72, 15.12, never 7.2E+1."""
    return format(number.normalize() + 0, "f")


def _grouped(lines: Sequence[Taxed]) -> dict[Key, list[Taxed]]:
    groups: dict[Key, list[Taxed]] = defaultdict(list)
    for line in lines:
        groups[(line.decision.category, line.decision.rate)].append(line)
    return groups


def _tax_line(key: Key, group: Sequence[Taxed]) -> TaxLine:
    base = total([line.net for line in group], group[0].net.currency)
    decision = group[0].decision
    return TaxLine(key[0], key[1], base, (base * key[1] * Decimal("0.01")).rounded(), decision.note, decision.reason_code)


def _summed(taxes: tuple[TaxLine, ...], currency: str) -> Totals:
    net = total([tax.base for tax in taxes], currency)
    tax = total([tax.tax for tax in taxes], currency)
    return Totals(net, tax, net + tax, taxes)


def _by_key(notes: Sequence[Totals], what: str, currency: str) -> dict[Key, Money]:
    sums: dict[Key, Money] = defaultdict(lambda: Money.zero(currency))
    for note in notes:
        for tax in note.taxes:
            sums[tax.key] += getattr(tax, what)
    return sums


def _refuse_inexact(value: object) -> None:
    if isinstance(value, Mapping):
        for item in value.values():
            _refuse_inexact(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _refuse_inexact(item)
    elif not (value is None or isinstance(value, (str, int))):
        raise TypeError(f"a snapshot holds texts, whole numbers and nothing else: {value!r}")
