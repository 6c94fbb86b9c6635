"""The columns of finance tables, the same in CSV and XLSX: per Document and per line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from portal.kernel.money import Money

TEXT, AMOUNT, NUMBER, DAY = "text", "amount", "number", "day"


@dataclass(frozen=True, slots=True)
class Record:
    """A Document with its payment state, as exports take it."""

    snapshot: dict
    state: str
    paid_minor: int
    credited_minor: int
    refunded_minor: int
    open_minor: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str
    get: Callable[[Record, dict], Any]


def _document(*path: str) -> Callable[[Record, dict], Any]:
    def get(record: Record, line: dict) -> Any:
        value: Any = record.snapshot
        for name in path:
            value = (value or {}).get(name)
        return value

    return get


def _line(name: str) -> Callable[[Record, dict], Any]:
    return lambda record, line: line[name]


def _money(get: Callable[[Record, dict], int]) -> Callable[[Record, dict], Decimal]:
    return lambda record, line: Money.from_minor(get(record, line), record.snapshot["currency"]).amount


def _taxes(record: Record, line: dict) -> str:
    currency = record.snapshot["currency"]
    return "; ".join(f"{tax['category']} {tax['rate']} %: {Money.from_minor(tax['tax_minor'], currency).amount}" for tax in record.snapshot["taxes"])


HEAD = (
    Column("number", TEXT, _document("number")),
    Column("kind", TEXT, _document("kind")),
    Column("issued_on", DAY, _document("issued_on")),
    Column("customer", TEXT, _document("customer", "number")),
    Column("customer_name", TEXT, _document("customer", "name")),
    Column("currency", TEXT, _document("currency")),
)
DOCUMENTS = (
    *HEAD,
    Column("net", AMOUNT, _money(lambda record, line: record.snapshot["net_minor"])),
    Column("tax", AMOUNT, _money(lambda record, line: record.snapshot["tax_minor"])),
    Column("gross", AMOUNT, _money(lambda record, line: record.snapshot["gross_minor"])),
    Column("tax_detail", TEXT, _taxes),
    Column("paid", AMOUNT, _money(lambda record, line: record.paid_minor)),
    Column("credited", AMOUNT, _money(lambda record, line: record.credited_minor)),
    Column("refunded", AMOUNT, _money(lambda record, line: record.refunded_minor)),
    Column("open", AMOUNT, _money(lambda record, line: record.open_minor)),
    Column("state", TEXT, lambda record, line: record.state),
    Column("due_on", DAY, _document("due_on")),
    Column("supply_start", TEXT, _document("supply", "start")),
    Column("supply_end", TEXT, _document("supply", "end")),
    Column("customer_country", TEXT, _document("customer", "country")),
    Column("customer_tax_id", TEXT, _document("customer", "tax_id")),
    Column("corrects", TEXT, _document("corrects", "number")),
    Column("booking", TEXT, _document("reference", "reference")),
    Column("agreement", TEXT, _document("reference", "number")),
    Column("purchase_order", TEXT, _document("reference", "purchase_order")),
    Column("project", TEXT, _document("reference", "project")),
    Column("cost_centre", TEXT, _document("reference", "cost_centre")),
    Column("sha256", TEXT, lambda record, line: record.sha256),
)
LINES = (
    *HEAD,
    Column("position", NUMBER, _line("position")),
    Column("sku", TEXT, _line("sku")),
    Column("description", TEXT, _line("description")),
    Column("quantity", NUMBER, lambda record, line: Decimal(line["quantity"])),
    Column("unit", TEXT, _line("unit")),
    Column("unit_price", NUMBER, lambda record, line: Decimal(line["unit_price"])),
    Column("discount", AMOUNT, _money(lambda record, line: line["discount_minor"])),
    Column("net", AMOUNT, _money(lambda record, line: line["net_minor"])),
    Column("tax_category", TEXT, _line("tax_category")),
    Column("tax_rate", NUMBER, lambda record, line: Decimal(line["tax_rate"])),
    Column("period_start", TEXT, _line("period_start")),
    Column("period_end", TEXT, _line("period_end")),
    Column("rule", TEXT, _line("rule")),
    Column("document_net", AMOUNT, _money(lambda record, line: record.snapshot["net_minor"])),
    Column("document_tax", AMOUNT, _money(lambda record, line: record.snapshot["tax_minor"])),
    Column("document_gross", AMOUNT, _money(lambda record, line: record.snapshot["gross_minor"])),
    Column("booking", TEXT, _document("reference", "reference")),
    Column("cost_centre", TEXT, _document("reference", "cost_centre")),
)
SHAPES = {"documents": DOCUMENTS, "lines": LINES}


def rows(*, shape: str, records: Iterable[Record]) -> Iterator[list[Any]]:
    """The values of each row in the order of the columns: text, Decimal, int, date or None."""
    columns = SHAPES[shape]
    for record in records:
        for line in record.snapshot["lines"] if shape == "lines" else [{}]:
            yield [_typed(column, column.get(record, line)) for column in columns]


def _typed(column: Column, value: Any) -> Any:
    return date.fromisoformat(value) if column.kind == DAY else value
