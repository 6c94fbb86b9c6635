"""Finance corrects an invoice by hand."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from billing.models import Agreement, Document, Posting, Refund
from billing.queries import audits
from billing.services import corrections, credits
from portal.accounts.models import AuditEntry
from portal.kernel.errors import InvalidInput, NotFound
from portal.kernel.money import Money


def usd(minor: int) -> Money:
    return Money.from_minor(minor, "USD")


@pytest.fixture
def invoice(till) -> str:
    till.buy(hours=10)
    return Document.objects.get().number


def correct(invoice: str, cast, now, minor: int = 5000, **more) -> str:
    wish = {"invoice": invoice, "amounts": {1: usd(minor)}, "reason": "Goodwill", "token": "t1", "by": cast.fin, "now": now, **more}
    return corrections.credit_by_hand(**wish)


def test_a_correction_is_previewed_then_issued_and_refunded(invoice, cast, now):
    preview = corrections.preview(invoice=invoice, amounts={1: usd(5000)})

    number = correct(invoice, cast, now)

    note = Document.objects.get(number=number)
    assert [money.minor for money in (preview.net, preview.tax, preview.gross, preview.refund)] == [5000, 950, 5950, 5950]
    assert (note.net_minor, note.tax_minor, Refund.objects.get().amount_minor) == (-5000, -950, 5950)
    assert AuditEntry.objects.get(verb="invoice.credited").actor == cast.fin
    assert audits.audit() == []


def test_the_same_token_credits_once(invoice, cast, now):
    assert correct(invoice, cast, now) == correct(invoice, cast, now)
    assert Document.objects.filter(kind="credit_note").count() == Refund.objects.count() == 1


def test_a_correction_needs_a_reason_an_invoice_and_something_left(invoice, cast, now):
    with pytest.raises(InvalidInput):
        correct(invoice, cast, now, reason="  ")
    with pytest.raises(NotFound):
        correct("INV-2026-99999", cast, now)
    with pytest.raises(credits.CreditExceedsInvoice):
        correct(invoice, cast, now, minor=15121)


@pytest.mark.parametrize("before_the_end", [True, False])
def test_the_books_are_even_whether_the_correction_comes_before_or_after_the_end(till, invoice, cast, now, before_the_end):
    number = Agreement.objects.get().number
    till.serve(number, timedelta(0), timedelta(hours=8))
    if before_the_end:
        correct(invoice, cast, now)
    till.end(number)
    if not before_the_end:
        correct(invoice, cast, now + timedelta(days=6))

    assert audits.audit() == []
    credited = -sum(Document.objects.filter(kind="credit_note").values_list("net_minor", flat=True))
    assert -sum(Posting.objects.filter(account__code="revenue").values_list("amount_minor", flat=True)) == 15120 - credited


def test_what_was_forgiven_before_is_not_given_back_again_at_the_end(till, invoice, cast, now):
    correct(invoice, cast, now)
    number = Agreement.objects.get().number
    till.serve(number, timedelta(0), timedelta(hours=8))

    settlement = till.end(number)

    assert settlement.credit_net == usd(5000)  # 8 h are 120.96, but 101.20 is all that the invoice still holds
    assert settlement.served == usd(12096)


def test_finance_credits_on_a_page_that_shows_first_what_it_will_do(client, cast, invoice):
    client.force_login(cast.fin)
    address = reverse("billing:finance-credit", args=[invoice])
    page = client.get(address).content.decode()
    token = re.search(r'name="token" value="(\w+)"', page)[1]

    shown = client.post(address, {"line_1": "50.00", "reason": "Goodwill", "token": token}).content.decode()
    done = client.post(address, {"line_1": "50.00", "reason": "Goodwill", "token": token, "confirmed": "yes"})
    again = client.post(address, {"line_1": "50.00", "reason": "Goodwill", "token": token, "confirmed": "yes"})

    note = Document.objects.get(kind="credit_note")
    assert "59.50" in shown
    assert done.url == again.url == reverse("billing:finance-document", args=[note.number])


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"line_1": "", "reason": "x"}, "at least one line"),
        ({"line_1": "151.21", "reason": "x"}, "less than or equal to 151.20"),
        ({"line_1": "0.001", "reason": "x"}, "no such small part"),
        ({"line_1": "1.00", "reason": ""}, "required"),
        ({"line_1": "1.00", "reason": "   ", "confirmed": "yes"}, "required"),
    ],
)
def test_a_wish_that_makes_no_sense_is_said_at_the_field(client, cast, invoice, sent, words):
    client.force_login(cast.fin)

    answer = client.post(reverse("billing:finance-credit", args=[invoice]), {**sent, "token": "t"})

    assert answer.status_code == 422 and words in answer.content.decode()
    assert not Document.objects.filter(kind="credit_note").exists()


def test_a_line_that_was_credited_meanwhile_is_refused_in_words(client, cast, invoice, now, monkeypatch):
    client.force_login(cast.fin)
    monkeypatch.setattr(corrections, "preview", lambda **wish: credits.preview(invoice=Document.objects.get(number=invoice), lines=[]))

    answer = client.post(reverse("billing:finance-credit", args=[invoice]), {"line_1": "1.00", "reason": "x", "token": "t"})

    assert answer.status_code == 422 and "nothing to credit" in answer.content.decode()


def test_a_credit_note_is_not_credited(client, cast, invoice, now):
    client.force_login(cast.fin)

    assert client.get(reverse("billing:finance-credit", args=[correct(invoice, cast, now)])).status_code == 404


def test_only_finance_credits(client, cast, invoice):
    for person, status in ((cast.ada, 404), (cast.mei, 403)):
        client.force_login(person)
        assert client.get(reverse("billing:finance-credit", args=[invoice])).status_code == status
