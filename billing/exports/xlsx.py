"""Finance tables as XLSX, row by row in constant memory: numbers are numbers, dates are dates, every text is a text."""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

import xlsxwriter

from billing.exports import columns

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": False}


def render(*, shape: str, records: Iterable[columns.Record]) -> bytes:
    """The workbook with one sheet: a header and a row for each Document, or each line of one."""
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, OPTIONS)
    sheet = book.add_worksheet(shape)
    bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
    formats = {digits: book.add_format({"num_format": f"#,##0.{'0' * digits}" if digits else "#,##0"}) for digits in range(7)}
    shown = columns.SHAPES[shape]
    sheet.freeze_panes(1, 1)
    sheet.set_column(0, len(shown) - 1, 16)
    for place, column in enumerate(shown):
        sheet.write_string(0, place, column.name, bold)
    for number, row in enumerate(columns.rows(shape=shape, records=records), start=1):
        for place, value in enumerate(row):
            _write(sheet, number, place, value, day, formats)
    book.close()
    return target.getvalue()


def _write(sheet: Any, row: int, place: int, value: Any, day: Any, formats: dict[int, Any]) -> None:
    if value is None:
        return
    if isinstance(value, date):
        sheet.write_datetime(row, place, value, day)
    elif isinstance(value, (Decimal, int)):
        sheet.write_number(row, place, value, formats[_digits(value)])
    else:
        sheet.write_string(row, place, str(value))


def _digits(value: Decimal | int) -> int:
    return max(0, -Decimal(value).as_tuple().exponent)  # type: ignore[operator]
