"""The customer's invoices and finance's desk."""

import io
import json
from datetime import timedelta

import openpyxl
import pytest
from django.urls import reverse

from billing import queries
from billing.models import Document
from portal.accounts.models import AuditEntry, Notification
from portal.toolkit import keyset


@pytest.fixture
def ended(till):
    """A paid Agreement that ended early: an invoice and a credit note."""
    number = till.buy()
    till.serve(number, timedelta(0), timedelta(hours=24))
    till.end(number)
    return number


@pytest.fixture
def invoice(ended) -> str:
    return Document.objects.get(kind="invoice").number


@pytest.fixture
def note(ended) -> str:
    return Document.objects.get(kind="credit_note").number


def test_the_list_shows_invoices_and_credit_notes_with_their_state(client, cast, invoice, note):
    client.force_login(cast.bea)

    page = client.get(reverse("billing:documents")).content.decode()

    assert invoice in page and note in page
    assert "1,295.48" in page and "−863.65" in page


def test_a_list_without_documents_teaches_the_next_step(client, cast, racks):
    client.force_login(cast.ada)

    assert "No invoice yet" in client.get(reverse("billing:documents")).content.decode()


def test_the_list_asks_the_same_number_of_queries_however_long_it_is(client, cast, till, django_assert_max_num_queries, ended):
    client.force_login(cast.ada)
    client.get(reverse("billing:documents"))
    with django_assert_max_num_queries(9) as few:
        client.get(reverse("billing:documents"))
    for _each in range(3):
        till.buy(hours=1)

    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(reverse("billing:documents"))


def test_a_document_page_links_credit_note_refund_and_booking(client, cast, invoice, note, django_assert_max_num_queries):
    client.force_login(cast.ada)
    client.get("/billing/")

    with django_assert_max_num_queries(11):
        page = client.get(reverse("billing:document", args=[invoice])).content.decode()

    assert note in page and "/bookings/B-1001/" in page and "R-1" in page
    assert invoice in client.get(reverse("billing:document", args=[note])).content.decode()


def test_strangers_get_404_and_members_without_the_role_403(client, cast, invoice):
    for person, status in ((cast.sid, 404), (cast.ben, 403), (cast.chen, 403), (cast.olu, 403), (cast.fin, 200)):
        client.force_login(person)
        assert client.get(reverse("billing:document", args=[invoice])).status_code == status
    assert client.get(reverse("billing:document", args=["INV-2026-99999"])).status_code == 404


def test_the_files_come_with_their_names(client, cast, invoice):
    client.force_login(cast.ada)

    answer = client.get(reverse("billing:document-file", args=[invoice, "pdf"]) + "?language=zh-hans")

    assert answer["Content-Disposition"] == f'attachment; filename="{invoice}.pdf"'
    assert answer.content.startswith(b"%PDF")


def test_the_booking_page_can_show_an_agreements_documents(client, cast, ended, invoice, note):
    client.force_login(cast.ada)

    page = client.get(reverse("billing:agreement-documents", args=[ended])).content.decode()

    assert invoice in page and note in page and "<html" not in page
    assert client.get(reverse("billing:agreement-documents", args=["A-999999"])).status_code == 404


def test_finance_sees_the_month_and_every_document(client, cast, invoice, note, django_assert_max_num_queries, now, monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: now + timedelta(days=6))
    client.force_login(cast.fin)
    client.get("/billing/")

    with django_assert_max_num_queries(18):
        page = client.get(reverse("billing:finance")).content.decode()

    assert invoice in page and note in page
    assert "1,295.48" in page and "−863.65" in page


def test_the_month_counts_what_was_billed_collected_and_credited(ended, now):
    glance = queries.month_at_a_glance(now=now + timedelta(days=6)).glances[0]

    assert [each.minor for each in (glance.billed, glance.credited, glance.collected, glance.refunded, glance.open, glance.unbilled)] == [
        129548, -86365, 129548, 0, 0, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("text=B-1001", 2), ("text=lovelace", 2), ("text=O-1", 2), ("text=nobody", 0), ("kind=invoice", 1), ("kind=credit_note", 1), ("state=paid", 1),
        ("state=open", 0), ("state=issued", 1), ("currency=EUR", 0), ("since=2026-12-02", 1), ("until=2026-12-01", 1), ("least=0", 1), ("most=-1", 1),
        ("least=1295.48&most=1295.48", 1), ("since=nonsense", 2), ("sort=nonsense", 2), ("sort=gross_minor", 2),
    ],
)  # fmt: skip
def test_finance_finds_documents(client, cast, ended, query, found):
    client.force_login(cast.fin)

    page = client.get(f"{reverse('billing:finance')}?{query}").content.decode()

    assert page.count('<tr data-href="/finance/documents/') == found


def test_a_filter_that_htmx_asked_for_is_answered_with_the_list_only(client, cast, ended):
    client.force_login(cast.fin)

    page = client.get(reverse("billing:finance"), headers={"hx-request": "true"}).content.decode()

    assert page.strip().startswith('<div id="finance-documents"')


def test_finance_sees_the_books_behind_a_document(client, cast, invoice, django_assert_max_num_queries):
    client.force_login(cast.fin)
    client.get("/billing/")

    with django_assert_max_num_queries(18):
        page = client.get(reverse("billing:finance-document", args=[invoice])).content.decode()

    assert "Deferred revenue" in page and "86,400" in page and "P-1" in page


def test_only_finance_comes_to_its_desk(client, cast, invoice):
    for person, status in ((cast.ada, 404), (cast.olu, 403), (cast.mei, 403)):
        client.force_login(person)
        assert client.get(reverse("billing:finance")).status_code == status
        assert client.get(reverse("billing:finance-document", args=[invoice])).status_code == status


def test_finance_takes_the_list_away_as_csv_and_xlsx_and_the_audit_log_knows(client, cast, ended, note):
    client.force_login(cast.fin)

    text = b"".join(client.get(reverse("billing:finance-table", args=["documents", "csv"]) + "?kind=credit_note").streaming_content).decode("utf-8-sig")
    book = client.get(reverse("billing:finance-table", args=["lines", "xlsx"]))

    assert [line.split(",")[0] for line in text.splitlines()] == ["number", note]
    assert openpyxl.load_workbook(io.BytesIO(book.content)).active.max_row == 3
    assert AuditEntry.objects.filter(verb="documents.exported", actor=cast.fin).count() == 2
    assert client.get(reverse("billing:finance-table", args=["documents", "docx"])).status_code == 404


def test_a_workbook_that_would_be_too_long_is_refused_with_a_way_out(client, cast, ended, monkeypatch):
    monkeypatch.setattr("billing.queries.finance.MOST_IN_A_WORKBOOK", 1)
    client.force_login(cast.fin)

    answer = client.get(reverse("billing:finance-table", args=["documents", "xlsx"]))

    assert answer.status_code == 409 and "CSV" in answer.content.decode()


def test_pages_follow_each_other_without_gap_or_repeat(ended, till, now):
    for _each in range(3):
        till.buy(hours=1)
    seen, after = [], ""
    while True:
        page = queries.finance_documents(filters=queries.Filters(sort="-gross_minor"), after=after, now=now, size=2)
        seen += [item.number for item in page.items]
        after = page.next
        if not after:
            break

    assert len(seen) == len(set(seen)) == page.count == 5


@pytest.mark.parametrize("cursor", ["nonsense", "e30", "bnVsbA", "WyJ4IiwieCJd", "[]"])
def test_a_cursor_that_nobody_gave_is_refused(ended, now, cursor):
    with pytest.raises(keyset.BadCursor):
        queries.finance_documents(filters=queries.Filters(), after=cursor, now=now)


def test_money_people_are_told_of_each_document_once(ended, cast, invoice, note):
    told = Notification.objects.filter(organisation=cast.lab)

    assert {(row.user, row.subject) for row in told} == {(person, number) for person in (cast.ada, cast.bea) for number in (invoice, note)}


def test_the_api_lists_and_gives_documents_with_their_frozen_content(client, cast, invoice, note):
    client.force_login(cast.ada)

    listing = client.get("/api/v1/invoices/").json()
    one = client.get(f"/api/v1/invoices/{invoice}/").json()

    assert [item["number"] for item in listing["items"]] == [note, invoice]
    assert (one["gross"], one["state"]) == ({"amount": "1295.48", "currency": "USD"}, "paid")
    assert one["document"]["gross_minor"] == 129548
    assert client.get(f"/api/v1/invoices/{invoice}/pdf/").content.startswith(b"%PDF")


def test_the_api_refuses_members_without_the_role_and_strangers(client, cast, invoice):
    client.force_login(cast.ben)
    assert client.get("/api/v1/invoices/").status_code == 403
    client.force_login(cast.sid)
    assert client.get(f"/api/v1/invoices/{invoice}/").status_code == 404
    assert json.loads(client.get("/api/v1/invoices/").content)["items"] == []
