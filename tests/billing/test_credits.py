"""Credit notes and wanted refunds: never more than there is."""

from datetime import timedelta
from decimal import Decimal

import pytest

from billing.models import Document, Entry, Payment, Posting, Price, Refund, TaxRule
from billing.queries import audits
from billing.services import books, credits, invoices
from portal.kernel.errors import Conflict
from portal.kernel.money import Money


def usd(minor: int) -> Money:
    return Money.from_minor(minor, "USD")


def credit(invoice: Document, *lines: tuple[int, int], now, **more) -> Document:
    wanted = [credits.Credit(position, usd(-minor), Decimal(0)) for position, minor in lines]
    return credits.credit(invoice=invoice, lines=wanted, reason="Goodwill", by=None, now=now, **more)


@pytest.fixture
def invoice(till) -> Document:
    till.buy(hours=10)
    return Document.objects.get()


@pytest.fixture
def of_m9(till, racks, now) -> Document:
    """M9: lines of 68.33, 68.33, 57.50 and 85.00 at 20 %."""
    from billing.domain.pricing import Wanted

    TaxRule.objects.filter(customer_group="domestic").update(rate=20)
    wanted = []
    for place, rate in enumerate(("68.33", "68.33", "57.50", "85.00")):
        Price.objects.create(sku=f"p{place}", currency="USD", unit="hour", rate=Decimal(rate), valid_from=now, source="tests")
        wanted.append(Wanted(f"p{place}", f"Line {place}", Decimal(1)))
    till.buy(wanted=wanted, hours=1)
    return Document.objects.get()


def test_four_credit_notes_credit_the_invoice_exactly_and_a_fifth_is_refused(of_m9, now):
    """M9."""
    assert of_m9.gross_minor == 33499

    notes = [credit(of_m9, (position, minor), now=now) for position, minor in ((1, 6833), (3, 5750), (4, 8500), (2, 6833))]

    assert [-note.gross_minor for note in notes] == [8200, 6900, 10200, 8199]
    of_m9.status.refresh_from_db()
    assert of_m9.status.credited_minor == 33499
    with pytest.raises(credits.CreditExceedsInvoice):
        credit(of_m9, (1, 1), now=now)


def test_a_credit_note_names_its_invoice_carries_its_tax_and_keeps_it_as_it_was(invoice, now):
    TaxRule.objects.update(rate=25)

    note = credit(invoice, (1, 5000), now=now + timedelta(days=40))

    assert (note.corrects, note.net_minor, note.tax_minor) == (invoice, -5000, -950)
    assert note.snapshot["corrects"] == {"number": invoice.number, "issued_on": invoice.issued_on.isoformat()}
    assert note.snapshot["customer"] == invoice.snapshot["customer"]
    assert Document.objects.get(pk=invoice.pk).sha256 == invoice.sha256


@pytest.mark.parametrize("lines", [[(1, 15121)], [(9, 1)], [(1, -5)], [(1, 0)], []])
def test_what_the_invoice_does_not_hold_is_not_credited(invoice, now, lines):
    with pytest.raises(credits.CreditExceedsInvoice):
        credit(invoice, *lines, now=now)

    assert not Document.objects.filter(kind="credit_note").exists()


def test_two_parts_of_one_line_never_exceed_it_together(invoice, now):
    credit(invoice, (1, 10000), now=now)

    with pytest.raises(credits.CreditExceedsInvoice):
        credit(invoice, (1, 5121), now=now)
    with pytest.raises(credits.CreditExceedsInvoice):
        credit(invoice, (1, 3000), (1, 3000), now=now)


def test_a_credit_of_served_time_takes_back_revenue(till, invoice, now):
    till.serve("A-" + invoice.agreement.number[2:], timedelta(0), timedelta(hours=10))
    till.end(invoice.agreement.number)

    credit(invoice, (1, 5000), now=now, unserved=usd(0))

    assert sum(Posting.objects.filter(account__code="revenue").values_list("amount_minor", flat=True)) == -(15120 - 5000)


def test_what_was_paid_too_much_is_refunded_once(invoice, now):
    note = credit(invoice, (1, 5000), now=now)

    refunds = credits.refund_what_we_owe(invoice=invoice, note=note, reason="Goodwill", source=f"credit:{note.number}", now=now)
    again = credits.refund_what_we_owe(invoice=invoice, note=note, reason="Goodwill", source=f"credit:{note.number}", now=now)

    assert [refund.amount_minor for refund in refunds] == [5950]
    assert again == []
    payment = Payment.objects.get()
    assert payment.refunded_minor == 5950
    assert audits.audit() == []


def test_the_same_cause_gives_the_same_refund(invoice, now):
    payment = Payment.objects.get()

    first = credits.want_refund(payment=payment, amount=usd(100), reason="late", source="late:P-1", now=now)
    second = credits.want_refund(payment=payment, amount=usd(100), reason="late", source="late:P-1", now=now)

    assert first == second
    assert Refund.objects.count() == 1


def test_no_more_is_refunded_than_was_captured(invoice, now):
    payment = Payment.objects.get()
    credits.want_refund(payment=payment, amount=usd(payment.captured_minor - 10), reason="x", source="one", now=now)

    with pytest.raises(credits.RefundExceedsCaptured):
        credits.want_refund(payment=payment, amount=usd(11), reason="x", source="two", now=now)
    credits.want_refund(payment=payment, amount=usd(10), reason="x", source="three", now=now)


def refunded(invoice: Document, now) -> Refund:
    note = credit(invoice, (1, 5000), now=now)
    return credits.refund_what_we_owe(invoice=invoice, note=note, reason="Goodwill", source="test", now=now)[0]


def test_a_settled_refund_is_booked_once(invoice, now):
    refund = refunded(invoice, now)
    Refund.objects.update(state="succeeded", settled_at=now)

    credits.refund_settled(refund=refund, now=now)
    credits.refund_settled(refund=refund, now=now)

    assert Entry.objects.filter(kind="refund_settled").count() == 1
    assert audits.audit() == []


@pytest.mark.parametrize("settled_before", [False, True])
def test_a_refund_that_fails_is_owed_again(invoice, now, settled_before):
    refund = refunded(invoice, now)
    if settled_before:
        credits.refund_settled(refund=refund, now=now)
    Refund.objects.update(state="failed")

    credits.refund_failed(refund=refund, now=now)
    credits.refund_failed(refund=refund, now=now)

    invoice.status.refresh_from_db()
    assert (Payment.objects.get().refunded_minor, invoice.status.refunded_minor) == (0, 0)
    assert sum(Posting.objects.filter(account__code="receivables").values_list("amount_minor", flat=True)) == -5950
    assert [finding for finding in audits.audit() if "has no entry" not in finding] == []


def test_a_failed_refund_of_a_late_payment_touches_no_invoice(till, now):
    number = till.order()
    payment = till.payment(number)
    books.payment_settled(payment=payment, now=now)
    refund = credits.want_refund(payment=payment, amount=usd(payment.captured_minor), reason="late", source="late", now=now)

    Refund.objects.update(state="failed")
    credits.refund_failed(refund=refund, now=now)

    assert Payment.objects.get().refunded_minor == 0
    assert audits.audit() == []


def test_a_draft_is_issued_or_voided_once(till, invoice, now):
    draft = invoices.draft(
        kind="invoice", account=invoice.account, currency="USD", tax={"customer": invoice.snapshot["customer"], "decisions": {}}, lines=[], now=now
    )
    invoices.void(draft=draft)

    with pytest.raises(invoices.DraftIsClosed):
        invoices.void(draft=draft)
    with pytest.raises(Conflict):
        invoices.issue(draft=draft, now=now)
    assert Document.objects.count() == 1


def test_an_invoice_that_is_not_paid_in_advance_is_open_and_says_where_to_pay(till, invoice, now):
    from billing.exports import base

    line = invoices.LineWanted(1, "sku", "Setup", Decimal(1), "hour", Decimal("15.12"), "service", 1512, "", None, None)
    tax = {"customer": invoice.snapshot["customer"], "decisions": invoice.agreement.tax["decisions"]}
    row = invoices.issue(draft=invoices.draft(kind="invoice", account=invoice.account, currency="USD", tax=tax, lines=[line], now=now), now=now)

    assert (row.status.paid_minor, row.snapshot["reference"], row.snapshot["payment"]) == (0, {}, None)
    assert any("DE89370400440532013000" in note for note in base.paper(row.snapshot, language="en").notes)
    assert audits.audit() == []
