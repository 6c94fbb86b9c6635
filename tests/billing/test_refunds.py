"""Refunds: wanted as a row, sent once, pending, failed, made elsewhere, made by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from billing.gateways import base
from billing.models import Agreement, Document, Entry, Payment, Refund
from billing.services import credits, refunds
from portal.accounts.models import AuditEntry, Notification
from portal.kernel.errors import InvalidInput, NotFound
from portal.kernel.money import Money
from tests.billing.counter import Counter, books_of


def usd(minor: int) -> Money:
    return Money.from_minor(minor, "USD")


def served_half(counter: Counter) -> str:
    """An Agreement of 72 h that was used for 36 h and ended: the rest is to be refunded."""
    number = counter.buy()
    counter.till.serve(number, timedelta(0), timedelta(hours=36))
    counter.till.end(number)
    return number


LATER = 5 * 24 * 3600 + 60


def test_what_was_not_used_is_refunded_once_and_the_books_agree(counter: Counter):
    number = served_half(counter)

    counter.send_refunds(later=LATER)
    counter.send_refunds(later=LATER)
    counter.deliver_all(later=LATER)

    refund, payment, invoice = Refund.objects.get(), Payment.objects.get(), Document.objects.get(kind="invoice")
    note = Document.objects.get(kind="credit_note")
    assert (refund.state, refund.gateway_refund, refund.amount_minor) == ("succeeded", "re_1", -note.gross_minor)
    assert (payment.refunded_minor, invoice.status.refunded_minor) == (refund.amount_minor, refund.amount_minor)
    assert len(counter.vendor.refunds) == 1
    assert (books_of(number)["refunds_payable"], books_of(number)["gateway_clearing"]) == (0, payment.captured_minor - refund.amount_minor)
    assert AuditEntry.objects.filter(verb="refund.succeeded").count() == 1


def test_the_sweeper_sends_what_a_lost_ring_left_behind(counter: Counter):
    served_half(counter)

    counter.sweep(later=LATER)

    assert Refund.objects.get().state == "succeeded"


def test_a_refund_of_unknown_outcome_is_looked_for_before_it_is_asked_again(counter: Counter):
    served_half(counter)
    counter.vendor.mute = True
    refund = Refund.objects.get()
    with pytest.raises(base.OutcomeUnknown):
        refunds.send(refund=refund.number, now=counter.at(LATER))

    counter.vendor.answers.clear()  # more than a day later the gateway has forgotten the key
    counter.sweep(later=LATER + 90_000)

    refund.refresh_from_db()
    assert (refund.state, len(counter.vendor.refunds)) == ("succeeded", 1)


def test_a_gateway_that_is_away_is_asked_again_after_growing_pauses(counter: Counter):
    served_half(counter)
    counter.vendor.away = True
    pauses = []
    moment = LATER
    for _ in range(3):
        counter.sweep(later=moment)
        row = Refund.objects.get()
        pauses.append(row.next_attempt_at - counter.at(moment))
        counter.sweep(later=moment + 1)
        moment += 3600

    assert [pause.seconds for pause in pauses] == [5, 10, 30]
    assert Refund.objects.get().attempts == 3
    assert Refund.objects.get().last_error == "nobody listens"


def test_two_senders_ask_the_gateway_once(counter: Counter):
    served_half(counter)
    number = Refund.objects.get().number
    counter.vendor.course_of_refunds = "pending"

    refunds.send(refund=number, now=counter.at(LATER))
    refunds.send(refund=number, now=counter.at(LATER))

    assert counter.vendor.asked.count("refund") == 1
    assert Refund.objects.get().state == "pending"


def test_a_pending_refund_owes_until_the_bank_has_paid(counter: Counter):
    number = served_half(counter)
    counter.vendor.course_of_refunds = "pending"
    counter.send_refunds(later=LATER)
    pending = books_of(number)["refunds_payable"]

    counter.vendor.settle_refund("re_1", "succeeded")
    counter.deliver_all(later=LATER)

    amount = Refund.objects.get().amount_minor
    assert (pending, books_of(number)["refunds_payable"]) == (-amount, 0)
    assert Refund.objects.get().state == "succeeded"


def test_a_pending_refund_whose_message_never_came_is_looked_at(counter: Counter):
    served_half(counter)
    counter.vendor.course_of_refunds = "pending"
    counter.send_refunds(later=LATER)
    counter.vendor.settle_refund("re_1", "succeeded")

    counter.sweep(later=LATER + 3600)

    assert Refund.objects.get().state == "succeeded"


@pytest.mark.parametrize("before", ["pending", "succeeded"])
def test_a_failed_refund_puts_the_money_back_to_owed_and_tells_finance(counter: Counter, before):
    number = served_half(counter)
    counter.vendor.course_of_refunds = before
    counter.send_refunds(later=LATER)

    counter.vendor.settle_refund("re_1", "failed")
    counter.deliver_all(later=LATER)
    counter.deliver_all(later=LATER + 1)

    refund, payment, invoice = Refund.objects.get(), Payment.objects.get(), Document.objects.get(kind="invoice")
    assert (refund.state, refund.last_error) == ("failed", "expired_or_canceled_card")
    assert (payment.refunded_minor, invoice.status.refunded_minor) == (0, 0)
    books = books_of(number)
    assert (books["refunds_payable"], books["gateway_clearing"], books["receivables"]) == (0, payment.captured_minor, -refund.amount_minor)
    told = Notification.objects.get(kind="refund_failed")
    assert (told.user, told.subject, told.facts["amount"]) == (counter.cast.fin, refund.number, str(usd(refund.amount_minor)))


def test_a_refund_that_the_gateway_refuses_has_failed(counter: Counter):
    served_half(counter)
    counter.vendor.give_back("pi_1", Payment.objects.get().captured_minor)  # all of it was given back at the gateway itself

    counter.send_refunds(later=LATER)

    assert Refund.objects.get().state == "failed"
    assert Notification.objects.filter(kind="refund_failed").count() == 1


def test_a_refund_made_at_the_gateway_is_adopted_and_finance_is_told(counter: Counter):
    number = counter.buy()
    made = counter.vendor.give_back("pi_1", 5000)

    counter.deliver_all()
    counter.deliver_all()

    refund = Refund.objects.get()
    assert (refund.gateway_refund, refund.state, refund.amount_minor, refund.source) == (made.id, "succeeded", 5000, f"gateway:{made.id}")
    assert Payment.objects.get().refunded_minor == Document.objects.get().status.refunded_minor == 5000
    assert books_of(number)["receivables"] == 5000
    assert Notification.objects.filter(kind="refund_outside", user=counter.cast.fin).count() == 1
    assert len(counter.vendor.refunds) == 1


def test_the_news_of_a_refund_that_overtook_the_news_of_its_payment_ends_the_same(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    counter.vendor.give_back("pi_1", 5000)

    for event in reversed(counter.vendor.events):
        counter.deliver(event)

    assert Agreement.objects.get().state == "open"
    assert (Payment.objects.get().captured_minor, Payment.objects.get().refunded_minor) == (Agreement.objects.get().gross_minor, 5000)
    assert books_of(number)["gateway_clearing"] == Agreement.objects.get().gross_minor - 5000


@pytest.mark.parametrize(("currency", "minor"), [("JPY", 9899), ("KWD", 1230)])
def test_yen_and_dinar_are_refunded_to_the_last_unit(counter: Counter, currency, minor):
    number = counter.order()
    Agreement.objects.update(currency=currency, gross_minor=minor, net_minor=minor, tax_minor=0)
    counter.start(number)
    counter.vendor.card("cs_1")
    counter.deliver_all()
    payment = Payment.objects.get()

    refunds.want_by_hand(payment=payment.number, amount=Money.from_minor(minor, currency), reason="Goodwill", token="a", by=counter.cast.fin, now=counter.now)
    counter.send_refunds()

    assert counter.vendor.refunds["re_1"].amount == Money.from_minor(minor, currency)
    assert Refund.objects.get().state == "succeeded"


def test_finance_refunds_by_hand_with_a_reason_once_per_form(counter: Counter):
    number = counter.buy()
    payment = Payment.objects.get()
    wish = {"payment": payment.number, "amount": usd(5000), "reason": " Goodwill ", "token": "form-1", "by": counter.cast.fin, "now": counter.now}

    preview = refunds.preview_by_hand(payment=payment.number, amount=usd(5000))
    first, again = refunds.want_by_hand(**wish), refunds.want_by_hand(**wish)
    counter.send_refunds()

    assert first == again
    assert (preview.amount, preview.owed, preview.reopened) == (usd(5000), usd(0), usd(5000))
    assert preview.left == usd(payment.captured_minor - 5000)
    assert preview.invoice == Document.objects.get().number
    assert (Refund.objects.get().state, Refund.objects.get().reason) == ("succeeded", "Goodwill")
    assert books_of(number)["receivables"] == 5000
    assert AuditEntry.objects.get(verb="refund.by_hand").actor == counter.cast.fin


def test_what_a_credit_note_owes_is_told_apart_from_goodwill(counter: Counter):
    served_half(counter)
    counter.vendor.course_of_refunds = "pending"
    counter.send_refunds(later=LATER)
    counter.vendor.settle_refund("re_1", "failed")
    counter.deliver_all(later=LATER)
    owed = Refund.objects.get().amount_minor

    preview = refunds.preview_by_hand(payment=Payment.objects.get().number, amount=usd(owed + 100))

    assert (preview.owed, preview.reopened) == (usd(owed), usd(100))


@pytest.mark.parametrize("minor", [0, -1, 10_000_000])
def test_an_amount_that_the_payment_does_not_hold_is_refused(counter: Counter, minor):
    counter.buy()
    payment = Payment.objects.get().number

    for act in (refunds.preview_by_hand, lambda **named: refunds.want_by_hand(**named, reason="x", token="a", by=counter.cast.fin, now=counter.now)):
        with pytest.raises(InvalidInput):
            act(payment=payment, amount=usd(minor))


def test_a_refund_by_hand_needs_a_reason_a_payment_and_its_currency(counter: Counter):
    counter.buy()
    payment = Payment.objects.get().number
    plain = {"token": "a", "by": counter.cast.fin, "now": counter.now}

    with pytest.raises(InvalidInput, match="Say why"):
        refunds.want_by_hand(payment=payment, amount=usd(1), reason=" ", **plain)
    with pytest.raises(InvalidInput, match="own currency"):
        refunds.want_by_hand(payment=payment, amount=Money.from_minor(1, "EUR"), reason="x", **plain)
    with pytest.raises(NotFound):
        refunds.want_by_hand(payment="P-99999", amount=usd(1), reason="x", **plain)
    with pytest.raises(NotFound):
        refunds.preview_by_hand(payment="P-99999", amount=usd(1))


def test_a_payment_that_holds_nothing_cannot_be_refunded(counter: Counter):
    number = counter.order()
    counter.start(number)

    with pytest.raises(refunds.NothingToRefund):
        refunds.preview_by_hand(payment=Payment.objects.get().number, amount=usd(1))


def test_never_more_than_was_captured_leaves_whoever_asks(counter: Counter):
    counter.buy()
    payment = Payment.objects.get()
    credits.want_refund(payment=payment, amount=usd(payment.captured_minor), reason="all", source="one", now=counter.now)

    with pytest.raises(credits.RefundExceedsCaptured):
        credits.want_refund(payment=payment, amount=usd(1), reason="more", source="two", now=counter.now)


def test_a_refund_at_the_gateway_waits_while_ours_stands_against_it(counter: Counter):
    counter.buy()
    payment = Payment.objects.get()
    all_of_it = usd(payment.captured_minor)
    refunds.want_by_hand(payment=payment.number, amount=all_of_it, reason="all", token="a", by=counter.cast.fin, now=counter.now)
    counter.vendor.give_back("pi_1", payment.captured_minor)

    counter.deliver_all()
    counter.send_refunds()
    counter.sweep(later=600)

    assert sorted(Refund.objects.values_list("state", flat=True)) == ["failed", "succeeded"]
    assert Payment.objects.get().refunded_minor == payment.captured_minor
    assert Entry.objects.filter(kind="refund_settled").count() == 1
