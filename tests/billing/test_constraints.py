"""The database is the judge: what it refuses however it is asked."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from billing.domain import ledger
from billing.models import Document, DocumentFile, Entry, LedgerAccount, Posting, RatedItem, Series, UsageSegment
from portal.kernel.money import Money


@pytest.fixture
def closed(till) -> str:
    """An Agreement that was paid, used for a day and ended."""
    number = till.buy()
    till.serve(number, timedelta(0), timedelta(hours=24))
    till.end(number)
    return number


@pytest.mark.parametrize("model", [Entry, Posting, UsageSegment, RatedItem, Document])
def test_what_is_posted_recorded_or_issued_never_changes(closed, model):
    row = model.objects.first()

    for change in (lambda: model.objects.filter(pk=row.pk).update(id=row.pk), lambda: model.objects.filter(pk=row.pk)._raw_delete("default")):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


def test_an_entry_that_does_not_sum_to_zero_is_refused_at_commit(closed):
    entry = Entry.objects.create(key="crooked", kind="test", posted_at="2026-12-01T00:00Z")
    Posting.objects.create(entry=entry, account=LedgerAccount.objects.first(), amount_minor=5, currency="USD")

    with pytest.raises(IntegrityError, match="does not sum to zero"), transaction.atomic():
        connection.check_constraints()
    Posting.objects.create(entry=entry, account=LedgerAccount.objects.first(), amount_minor=-5, currency="USD")  # so that the test itself may end


def test_two_currencies_do_not_balance_each_other(closed):
    account = LedgerAccount.objects.first()
    entry = Entry.objects.create(key="mixed", kind="test", posted_at="2026-12-01T00:00Z")
    Posting.objects.create(entry=entry, account=account, amount_minor=5, currency="USD")
    Posting.objects.create(entry=entry, account=account, amount_minor=-5, currency="EUR")

    with pytest.raises(IntegrityError), transaction.atomic():
        connection.check_constraints()
    Posting.objects.create(entry=entry, account=account, amount_minor=-5, currency="USD")
    Posting.objects.create(entry=entry, account=account, amount_minor=5, currency="EUR")


def test_the_domain_refuses_a_crooked_entry_as_well():
    with pytest.raises(ledger.Unbalanced):
        ledger.Booked("k", "test", (ledger.Leg("receivables", Money.from_minor(1, "USD")),))


def test_a_file_is_made_once(closed):
    file = DocumentFile.objects.first()
    DocumentFile.objects.filter(pk=file.pk).update(attempts=1)
    DocumentFile.objects.filter(pk=file.pk).update(content=b"%PDF", sha256="x")

    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentFile.objects.filter(pk=file.pk).update(content=b"other")
    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentFile.objects.filter(pk=file.pk).delete()


@pytest.mark.parametrize("change", [{"last_number": 7}, {"last_number": 0}, {"last_issued_on": "2020-01-01"}, {"prefix": "X-"}])
def test_a_series_counts_one_by_one_and_never_back(closed, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        Series.objects.filter(kind="invoice").update(**change)


def _copy(row: Document, **changes) -> None:
    fields = {field.attname: getattr(row, field.attname) for field in Document._meta.concrete_fields if not field.primary_key}
    Document.objects.create(**{**fields, **changes})


def test_a_number_that_its_series_did_not_give_is_refused(closed):
    invoice = Document.objects.get(kind="invoice")

    with pytest.raises(IntegrityError), transaction.atomic():
        _copy(invoice, sequence=9, number="INV-2026-00009")


def test_a_credit_note_that_exceeds_its_invoice_is_refused_by_the_database(closed):
    note = Document.objects.get(kind="credit_note")
    Series.objects.filter(kind="credit_note").update(last_number=2)

    with pytest.raises(IntegrityError, match="exceeds its invoice"), transaction.atomic():
        _copy(note, sequence=2, number="CN-2026-00002")


def test_credit_beyond_the_gross_is_refused_at_the_status(closed):
    status = Document.objects.get(kind="invoice").status
    status.credited_minor = status.document.gross_minor + 1

    with pytest.raises(IntegrityError), transaction.atomic():
        status.save()
