"""Paying through the hosted checkout: started, carried on, declined, left, paid, and whatever the gateway does in between."""

from __future__ import annotations

import dataclasses

import pytest

from billing.domain.gateway_amounts import NotSendable
from billing.gateways import base
from billing.models import Agreement, Announcement, Document, Entry, GatewayEvent, Payment, PaymentAttempt
from billing.queries import payments as found
from billing.services import gateway, payments
from portal.accounts.models import AuditEntry
from portal.kernel.errors import NotFound
from portal.kernel.money import Money
from tests.billing.counter import Counter, books_of


def test_a_checkout_is_an_attempt_with_its_key_and_its_request(counter: Counter):
    number = counter.order()

    address = counter.start(number)

    attempt = PaymentAttempt.objects.get()
    assert address == attempt.url == counter.vendor.checkouts["cs_1"].url
    assert attempt.idempotency_key == f"pay:{number}:1"
    assert (attempt.outcome, attempt.gateway_session) == ("open", "cs_1")
    assert counter.vendor.wishes["cs_1"].amount == Agreement.objects.get().gross_minor
    assert AuditEntry.objects.filter(verb="payment.started").count() == 1


def test_the_attempt_is_committed_before_the_gateway_hears_of_it(counter: Counter):
    number = counter.order()
    counter.vendor.away = True

    with pytest.raises(gateway.GatewayUnavailable):
        counter.start(number)

    assert PaymentAttempt.objects.get().outcome == "unknown"


def test_an_open_checkout_is_used_again(counter: Counter):
    number = counter.order()

    first, second = counter.start(number), counter.start(number)

    assert first == second
    assert PaymentAttempt.objects.count() == 1


def test_a_paid_checkout_opens_the_agreement_and_issues_the_invoice(counter: Counter):
    number = counter.order()
    counter.start(number)

    counter.vendor.card("cs_1")
    shown = counter.refresh(number)

    agreement, payment = Agreement.objects.get(), Payment.objects.get()
    invoice = Document.objects.get()
    assert agreement.state == "open"
    assert (payment.state, payment.captured_minor, payment.gateway_intent) == ("succeeded", agreement.gross_minor, "pi_1")
    assert invoice.status.paid_minor == invoice.gross_minor == agreement.gross_minor
    assert (shown.stage, shown.invoice, shown.is_settled) == ("paid", invoice.number, True)
    assert set(Announcement.objects.values_list("kind", flat=True)) == {"agreement_opened", "document_issued"}
    assert AuditEntry.objects.filter(verb="payment.settled").count() == 1
    assert books_of(number) == {
        "gateway_clearing": agreement.gross_minor,
        "receivables": 0,
        "deferred_revenue": -agreement.net_minor,
        "tax_payable": -agreement.tax_minor,
    }


def test_whoever_comes_back_to_pay_what_was_paid_is_led_on(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")

    address = counter.start(number)

    assert address == "http://portal/paid/"
    assert Agreement.objects.get().state == "open"
    with pytest.raises(payments.NotPayable):
        counter.start(number)


def test_a_declined_card_is_told_and_another_one_pays_in_the_same_checkout(counter: Counter):
    number = counter.order()
    first = counter.start(number)
    counter.vendor.card("cs_1", "failed", "insufficient_funds")

    declined = counter.refresh(number)
    again = counter.start(number)
    counter.vendor.card("cs_1")
    paid = counter.refresh(number, later=10)

    assert (declined.stage, declined.failure, declined.can_pay) == ("declined", "insufficient_funds", True)
    assert again == first
    assert paid.stage == "paid"
    assert Announcement.objects.filter(kind="payment_failed").count() == 1
    assert Announcement.objects.get(kind="payment_failed").facts["reason"] == "insufficient_funds"


def test_the_same_decline_seen_twice_is_announced_once(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1", "failed", "generic_decline")

    counter.refresh(number)
    counter.refresh(number, later=10)
    counter.deliver_all()

    assert Announcement.objects.filter(kind="payment_failed").count() == 1


def test_a_checkout_that_was_left_is_unpaid_and_can_be_paid(counter: Counter):
    number = counter.order()
    counter.start(number)

    shown = counter.refresh(number)

    assert (shown.stage, shown.can_pay, shown.is_settled) == ("unpaid", True, True)


def test_an_expired_checkout_is_followed_by_a_new_one(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.expire("cs_1")

    shown = counter.refresh(number)
    counter.start(number)

    assert shown.stage == "expired"
    assert list(PaymentAttempt.objects.values_list("idempotency_key", "outcome")) == [(f"pay:{number}:1", "expired"), (f"pay:{number}:2", "open")]
    assert Payment.objects.count() == 1


def test_what_becomes_of_an_older_attempt_does_not_change_the_newer_one(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1", "failed", "generic_decline")
    counter.vendor.expire("cs_1")
    counter.refresh(number)
    counter.start(number)

    counter.deliver_all()

    assert Payment.objects.get().state == "started"
    assert PaymentAttempt.objects.order_by("attempt").last().outcome == "open"


def test_an_unknown_outcome_is_asked_for_again_with_the_same_request(counter: Counter):
    number = counter.order()
    counter.vendor.mute = True
    with pytest.raises(gateway.GatewayUnavailable):
        counter.start(number)

    address = counter.start(number, later=120)

    assert address == counter.vendor.checkouts["cs_1"].url
    assert len(counter.vendor.checkouts) == 1
    assert PaymentAttempt.objects.get().outcome == "open"


def test_the_sweeper_finds_out_what_became_of_an_unknown_attempt(counter: Counter):
    number = counter.order()
    counter.vendor.mute = True
    with pytest.raises(gateway.GatewayUnavailable):
        counter.start(number)

    counter.sweep(later=60)

    assert PaymentAttempt.objects.get().gateway_session == "cs_1"
    assert len(counter.vendor.checkouts) == 1


def test_a_fault_that_the_gateway_repeats_is_left_behind_with_a_new_key(counter: Counter):
    number = counter.order()
    counter.vendor.faulty = True
    for _ in range(2):
        with pytest.raises(gateway.GatewayUnavailable):
            counter.start(number)

    counter.start(number)

    assert list(PaymentAttempt.objects.values_list("outcome", flat=True)) == ["refused", "open"]


def test_a_request_that_is_refused_ends_its_attempt_and_says_so(counter: Counter, monkeypatch):
    number = counter.order()

    def refuse(*, wish):
        raise base.Refused("no")

    monkeypatch.setattr(counter.vendor, "open_checkout", refuse)

    with pytest.raises(gateway.GatewayRefused):
        counter.start(number)

    assert PaymentAttempt.objects.get().outcome == "refused"
    assert found.progress(agreement=number).can_pay


def test_a_gateway_that_is_away_costs_nothing_when_a_checkout_was_open(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    counter.vendor.away = True

    with pytest.raises(gateway.GatewayUnavailable):
        counter.start(number)
    shown = counter.refresh(number)
    counter.sweep(later=60)
    counter.vendor.away = False
    counter.sweep(later=400)

    assert (shown.is_reached, shown.is_settled) == (False, False)
    assert found.progress(agreement=number).stage == "paid"


def test_a_payment_whose_message_never_came_is_found_by_polling(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    counter.vendor.events.clear()

    counter.sweep(later=30)

    assert found.progress(agreement=number).stage == "paid"
    assert PaymentAttempt.objects.get().next_look_at is None


def test_events_that_never_arrived_are_fetched_from_the_gateways_list(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")

    counter.sweep(later=1)
    counter.sweep(later=2)

    assert GatewayEvent.objects.filter(processed_at__isnull=False).count() == len(counter.vendor.events) == 2
    assert found.progress(agreement=number).stage == "paid"


def test_the_gateways_list_is_read_now_and_then_only(counter: Counter):
    counter.sweep(later=1)
    counter.sweep(later=5)
    counter.sweep(later=400)

    assert counter.vendor.asked.count("events_since") == 2


def test_a_payment_that_is_processing_settles_by_its_event(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1", "processing")
    waiting = counter.refresh(number)
    with pytest.raises(payments.PaymentUnderWay):
        counter.start(number, later=10)
        counter.start(number, later=11)

    counter.vendor.settle("pi_1")
    counter.deliver_all()

    assert (waiting.stage, waiting.is_settled) == ("processing", False)
    assert found.progress(agreement=number).stage == "paid"


def test_a_payment_that_was_processing_may_fail_and_be_tried_again(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1", "processing")
    counter.refresh(number)
    counter.vendor.settle("pi_1", "failed", "generic_decline")

    counter.deliver_all()
    counter.start(number, later=60)

    assert PaymentAttempt.objects.count() == 2


def test_the_attempts_of_a_day_are_capped(counter: Counter):
    number = counter.order()
    counter.cast.lab.payment_attempts_cap = 2
    counter.cast.lab.save()
    for session in ("cs_1", "cs_2"):
        counter.start(number)
        counter.vendor.expire(session)

    with pytest.raises(payments.TooManyAttempts, match="2 payments"):
        counter.start(number)
    assert counter.start(number, later=90_000)


def test_an_agreement_that_nobody_knows_is_not_found(counter: Counter):
    with pytest.raises(NotFound):
        counter.start("A-999")
    with pytest.raises(NotFound):
        counter.refresh("A-999")


def test_a_payment_is_asked_for_in_the_agreements_currency_whatever_the_account_says_now(counter: Counter):
    number = counter.order()
    agreement = Agreement.objects.get()
    agreement.account.currency = "EUR"
    agreement.account.save()

    counter.start(number)

    assert (counter.vendor.wishes["cs_1"].currency, counter.vendor.wishes["cs_1"].amount) == ("USD", agreement.gross_minor)


def test_a_payment_reported_in_another_currency_opens_nothing_and_is_looked_at_again(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    euros = Money.from_minor(Agreement.objects.get().gross_minor, "EUR")
    counter.vendor.intents["pi_1"] = dataclasses.replace(counter.vendor.intents["pi_1"], amount=euros, received=euros)

    counter.deliver_all()

    assert Agreement.objects.get().state == "pending"
    assert not Entry.objects.exists()
    assert GatewayEvent.objects.filter(processed_at__isnull=True, error__contains="EUR").count() == 2


@pytest.mark.parametrize(("currency", "minor", "sent"), [("JPY", 9899, 9899), ("KWD", 1230, 1230)])
def test_yen_and_dinar_go_out_as_the_gateway_counts_them(counter: Counter, currency, minor, sent):
    number = counter.order()
    Agreement.objects.update(currency=currency, gross_minor=minor, net_minor=minor, tax_minor=0)

    counter.start(number)
    counter.vendor.card("cs_1")
    counter.deliver_all()

    assert counter.vendor.wishes["cs_1"].amount == sent
    assert Payment.objects.get().captured_minor == minor


def test_an_amount_that_the_gateway_cannot_move_is_refused_before_anything_is_written(counter: Counter):
    number = counter.order()
    Agreement.objects.update(currency="KWD", gross_minor=1234, net_minor=1234, tax_minor=0)

    with pytest.raises(NotSendable) as caught:
        counter.start(number)

    assert caught.value.facts == {"amount": "1.234 KWD", "step": "0.010 KWD"}
    assert not Payment.objects.exists()


def test_a_page_that_asks_by_itself_is_spared_a_look_done_a_moment_ago_and_a_customer_never(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1", "requires_action")
    counter.refresh(number)
    counter.vendor.settle("pi_1")

    spared = counter.refresh(number, later=1, unless_within=3)
    looked = counter.refresh(number, later=1)

    assert (spared.stage, looked.stage) == ("processing", "paid")
