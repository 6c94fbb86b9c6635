"""Finance tables as CSV: UTF-8 with BOM, CRLF, ISO dates, decimal point. It streams, and no text cell is a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from billing.exports import columns

CONTENT_TYPE = "text/csv; charset=utf-8"
BOM = "\ufeff"
# What spreadsheets take as the beginning of a formula, with the full-width forms that some of them fold (case M10).
FORMULA = tuple("=+-@＝＋－＠")
CONTROLS = ("\t", "\r", "\n")


class _Line:
    """csv wants a file: this one hands back what was written."""

    def write(self, text: str) -> str:
        return text


def stream(*, shape: str, records: Iterable[columns.Record]) -> Iterator[str]:
    """The header and a row for each Document (shape documents) or each of its lines (shape lines), one text at a time."""
    writer = csv.writer(_Line(), lineterminator="\r\n")
    yield BOM + writer.writerow([column.name for column in columns.SHAPES[shape]])
    for row in columns.rows(shape=shape, records=records):
        yield writer.writerow([_cell(value) for value in row])


def guarded(text: str) -> str:
    """`text` so that no spreadsheet reads a formula: an apostrophe before a leading formula sign, also after blanks, and before a control character."""
    return f"'{text}" if text.startswith(CONTROLS) or text.lstrip().startswith(FORMULA) else text


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (Decimal, int)):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    return guarded(str(value))
