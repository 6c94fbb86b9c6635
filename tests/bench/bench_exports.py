"""Median milliseconds of one export, three times: Documents as CSV and as XLSX, one long Document as PDF; as control the library alone writing rows that are
ready."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
from collections.abc import Iterable
from decimal import Decimal

import typst
import xlsxwriter

from tests.bench import database
from tests.bench.figure import Figure

DOCUMENTS, LINES, TIMES = 1000, 100, 7


def measure() -> tuple[Figure, ...]:
    with database.fresh():
        record = _record()
        return _csv(_many(record)), _xlsx(_many(record)), _pdf(_long(record.snapshot))


def _record():
    """An invoice as exports take it."""
    from django.utils import timezone

    from billing.exports import columns
    from billing.models import Document
    from tests import world
    from tests.rentals.desk import Desk

    now = timezone.now().replace(microsecond=0)
    desk = Desk(world.cast(now), world.racks(now), now)
    desk.pay(desk.hold(hours=72))
    row = Document.objects.get()
    return columns.Record(row.snapshot, "paid", row.gross_minor, 0, 0, 0, row.sha256)


def _many(record) -> list:
    return [dataclasses.replace(record, snapshot={**record.snapshot, "number": f"INV-{number:06d}"}) for number in range(DOCUMENTS)]


def _long(snapshot: dict) -> dict:
    return {**snapshot, "lines": [{**copy.deepcopy(snapshot["lines"][0]), "position": number + 1} for number in range(LINES)]}


def _csv(records: list) -> Figure:
    from billing.exports import csv as ours

    rows = list(csv.reader(io.StringIO("".join(ours.stream(shape="documents", records=records)))))

    def bare() -> str:
        target = io.StringIO()
        csv.writer(target).writerows(rows)
        return target.getvalue()

    return _figure(lambda: "".join(ours.stream(shape="documents", records=records)), bare, f"CSV of {DOCUMENTS} documents against csv alone")


def _xlsx(records: list) -> Figure:
    from billing.exports import columns
    from billing.exports import xlsx as ours

    rows = [[float(value) if isinstance(value, Decimal) else value for value in row] for row in columns.rows(shape="documents", records=records)]

    def bare() -> bytes:
        target = io.BytesIO()
        book = xlsxwriter.Workbook(target, {"constant_memory": True, "default_date_format": "yyyy-mm-dd"})
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        book.close()
        return target.getvalue()

    return _figure(lambda: ours.render(shape="documents", records=records), bare, f"XLSX of {DOCUMENTS} documents against xlsxwriter alone")


def _pdf(snapshot: dict) -> Figure:
    from billing.exports import base, pdf

    paper = base.paper(snapshot, language="en", bilingual=True)
    cells = [list(_texts(dataclasses.astuple(row))) for row in paper.rows]
    source = f"#let rows = json(bytes(sys.inputs.data))\n#table(columns: {len(cells[0])}, ..rows.flatten())"
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)
    data = {"data": json.dumps(cells)}
    return _figure(
        lambda: pdf.render(snapshot, language="en"),
        lambda: typst.compile(source.encode(), font_paths=fonts, sys_inputs=data, format="pdf"),
        f"PDF of an invoice with {LINES} lines against typst setting a bare table of them",
    )


def _texts(values: Iterable[object]) -> Iterable[str]:
    return (str(value) for value in values)


def _figure(ours, bare, told: str) -> Figure:
    return Figure(ours=database.seconds(ours, times=TIMES, warm=1) * 1000, control=database.seconds(bare, times=TIMES, warm=1) * 1000, unit="ms", told=told)
