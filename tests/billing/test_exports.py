"""One Document in every form: the same whole cents everywhere."""

import csv as stdlib_csv
import io
import re
from datetime import date, timedelta
from decimal import Decimal

import openpyxl
import pypdf
import pytest
from django.urls import reverse
from django.utils import translation

from billing import queries
from billing.domain.pricing import Wanted
from billing.exports import base, columns, csv, pdf, xlsx
from billing.models import Document, TermDiscount
from tests.billing.conftest import A100, T4

AMOUNT = re.compile(r"[−-]?\d{1,3}(?:,\d{3})*\.\d{2}")


def minor(text: str) -> int:
    return int(Decimal(text.replace(",", "").replace("−", "-")) * 100)


def amounts(text: str) -> set[int]:
    return {minor(found) for found in AMOUNT.findall(text)}


@pytest.fixture
def documents(till):
    """An invoice of two lines with a discount and cents that do not come out even, and its credit note."""
    TermDiscount.objects.create(from_hours=24, percent=Decimal("3.5"))
    number = till.buy(hours=31, wanted=[Wanted(A100, "8 × A100 80 GB", Decimal(1)), Wanted(T4, "4 × T4", Decimal(3))])
    till.serve(number, timedelta(0), timedelta(hours=7, minutes=11))
    till.serve(number, timedelta(0), timedelta(hours=9), position=2, rental="t4", quantity=3)
    till.end(number)
    return Document.objects.order_by("pk")


def stated(row: Document) -> tuple[list[int], list[int], tuple[int, int, int]]:
    """The integers of the snapshot: nets of the lines, taxes, totals."""
    content = row.snapshot
    totals = (content["net_minor"], content["tax_minor"], content["gross_minor"])
    return [line["net_minor"] for line in content["lines"]], [tax["tax_minor"] for tax in content["taxes"]], totals


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_page_pdf_csv_and_xlsx_show_the_same_cents(documents, cast, client, language):
    client.force_login(cast.ada)
    for row in documents:
        nets, taxes, totals = stated(row)
        record = queries.record(queries.row_for(user=cast.ada, number=row.number))

        with translation.override(language):
            page = client.get(reverse("billing:document", args=[row.number]), headers={"accept-language": language}).content.decode()
        assert [minor(found) for found in re.findall(r"data-net>([^<]+)<", page)] == nets
        assert [minor(found) for found in re.findall(r"data-tax>([^<]+)<", page)] == taxes
        assert tuple(minor(found) for found in re.findall(r"data-total>(?:<strong>)?([^<]+)<", page)) == totals

        text = "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf.render(row.snapshot, language=language))).pages)
        assert {*nets, *taxes, *totals} <= amounts(text)
        assert row.number in text

        lines = list(stdlib_csv.DictReader(io.StringIO("".join(csv.stream(shape="lines", records=[record])).lstrip(csv.BOM))))
        assert [minor(line["net"]) for line in lines] == nets
        assert {tuple(minor(line[f"document_{name}"]) for name in ("net", "tax", "gross")) for line in lines} == {totals}

        whole = next(stdlib_csv.DictReader(io.StringIO("".join(csv.stream(shape="documents", records=[record])).lstrip(csv.BOM))))
        assert tuple(minor(whole[name]) for name in ("net", "tax", "gross")) == totals

        sheet = openpyxl.load_workbook(io.BytesIO(xlsx.render(shape="documents", records=[record]))).active
        head = [cell.value for cell in sheet[1]]
        values = dict(zip(head, sheet[2], strict=True))
        assert tuple(minor(str(values[name].value)) for name in ("net", "tax", "gross")) == totals
        assert all(values[name].data_type == "n" for name in ("net", "tax", "gross"))


def test_a_credit_note_names_its_invoice_and_its_reason_in_both_languages(documents):
    note = documents.get(kind="credit_note")
    invoice = documents.get(kind="invoice")

    text = pypdf.PdfReader(io.BytesIO(pdf.render(note.snapshot, language="zh-hans"))).pages[0].extract_text().replace("\n", " ")

    assert invoice.number in text
    assert "Booked time that was not used" in text
    assert "Reason: Goodwill" in base.paper({**note.snapshot, "reason": "Goodwill"}, language="en").notes


def test_the_pdf_is_tagged_and_counts_its_pages(documents):
    reader = pypdf.PdfReader(io.BytesIO(pdf.render(documents[0].snapshot, language="en")))

    assert "/StructTreeRoot" in reader.trailer["/Root"]
    assert reader.trailer["/Root"]["/Lang"] == "en-GB"
    assert "Page 1 / 1" in reader.pages[0].extract_text()


def test_only_paper_of_a_demo_is_marked(documents, settings):
    snapshot = documents[0].snapshot

    assert base.paper(snapshot, language="en").simulated == ""
    assert base.paper({**snapshot, "simulated": True}, language="en").simulated == "Demo: no real money"


@pytest.fixture
def seventy(till):
    """M10: a credit note of -70.00 of a customer with an evil name."""
    number = till.buy(wanted=[Wanted(A100, "=1+1", Decimal(1))], hours=10)
    till.end(number)
    row = Document.objects.get(kind="credit_note")
    snapshot = {**row.snapshot, "net_minor": -7000, "gross_minor": -7000}

    def record(name: str) -> columns.Record:
        return columns.Record({**snapshot, "customer": {**snapshot["customer"], "name": name}}, "issued", 0, 0, 0, 0, row.sha256)

    return record


EVIL = ["=cmd|' /C calc'!A0", "+1", "-x", "@x", "\tx", "\rx", "\nx", "＝1", "－1", "＋1", "＠x", "  =1", "\u3000=1"]


@pytest.mark.parametrize("name", EVIL)
def test_a_csv_neutralises_names_and_leaves_negative_amounts_numbers(seventy, name):
    row = next(stdlib_csv.DictReader(io.StringIO("".join(csv.stream(shape="documents", records=[seventy(name)])).lstrip(csv.BOM), newline="")))

    assert row["customer_name"] == f"'{name}"
    assert row["gross"] == "-70.00"


@pytest.mark.parametrize("name", EVIL[:4])
def test_an_xlsx_keeps_amounts_numbers_and_names_texts(seventy, name):
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx.render(shape="documents", records=[seventy(name)]))).active
    cells = dict(zip([cell.value for cell in sheet[1]], sheet[2], strict=True))

    assert (cells["gross"].data_type, cells["gross"].value) == ("n", -70)
    assert (cells["customer_name"].data_type, cells["customer_name"].value) == ("s", name)
    assert cells["issued_on"].value.date() == date(2026, 12, 6)


def test_harmless_texts_stay_as_they_are():
    assert csv.guarded("Ada & Co. = fine") == "Ada & Co. = fine"
