"""Payments told by several mouths at once: one row, one entry, one invoice, one refund. Each with its control."""

from __future__ import annotations

import itertools
import threading

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from billing.domain import ledger
from billing.models import Agreement, Announcement, Document, Entry, GatewayEvent, Payment, PaymentAttempt, Refund
from billing.services import agreements, captures, gateway_events, payments, refunds
from tests.billing.conftest import counter, till  # noqa: F401 - fixtures
from tests.billing.counter import Counter

pytestmark = pytest.mark.django_db(transaction=True)


def together(*works) -> list:
    """What each of `works` returned or raised, started at one moment, each with a connection of its own."""
    gate, results = threading.Barrier(len(works)), [None] * len(works)

    def run(position: int, work) -> None:
        gate.wait(timeout=20)
        try:
            results[position] = work()
        except Exception as error:
            results[position] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(position, work)) for position, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results


def both_have_read(vendor, parties: int = 2) -> None:
    """Let nobody go on before all have read the payment at the gateway: then all of them know that it was paid, and none has written it down."""
    gate = threading.Barrier(parties)
    for verb in ("checkout", "intent"):
        read = getattr(vendor, verb)

        def at_once(*, id, read=read):
            seen = read(id=id)
            gate.wait(timeout=20)
            return seen

        setattr(vendor, verb, at_once)


def stored(counter: Counter) -> list[str]:  # noqa: F811
    """The vendor's events, arrived and not yet worked on."""
    return [gateway_events.receive(body=counter.vendor.body(event), signature="signed", now=counter.now) for event in counter.vendor.events]


def test_the_return_page_and_the_event_settle_a_payment_once(counter: Counter):  # noqa: F811
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    event, _ = stored(counter)
    both_have_read(counter.vendor)

    shown, _ = together(lambda: counter.refresh(number), lambda: gateway_events.apply(event_id=event, now=counter.now))

    agreement = Agreement.objects.get()
    assert shown.stage == "paid"
    assert Payment.objects.get().captured_minor == agreement.gross_minor
    assert Entry.objects.filter(kind="payment_settled").count() == 1
    assert Document.objects.get().status.paid_minor == agreement.gross_minor
    assert not Refund.objects.exists()
    assert Announcement.objects.filter(kind="agreement_opened").count() == 1


def test_without_the_lock_the_same_payment_is_booked_twice(counter: Counter, monkeypatch):  # noqa: F811
    """The control: rows are read without their locks, and the entry's key no longer names the Payment alone."""
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    event, _ = stored(counter)
    both_have_read(counter.vendor)
    both_will_capture, several, capture, settled = threading.Barrier(2), itertools.count(), captures._capture, ledger.payment_settled
    monkeypatch.setattr(captures, "_locked", lambda number: Payment.objects.by_number(number).select_related("agreement__account").first())
    monkeypatch.setattr(agreements, "_locked", lambda number: Agreement.objects.by_number(number).select_related("account__seller").first())
    monkeypatch.setattr(captures, "_capture", lambda *given: (both_will_capture.wait(timeout=20), capture(*given)))
    monkeypatch.setattr(ledger, "payment_settled", lambda *, payment, amount: settled(payment=f"{payment}:{next(several)}", amount=amount))

    together(lambda: counter.refresh(number), lambda: gateway_events.apply(event_id=event, now=counter.now))

    assert Entry.objects.filter(kind="payment_settled").count() == 2


def test_the_same_event_five_times_at_once_is_taken_five_times_and_works_once(counter: Counter):  # noqa: F811
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    event = counter.vendor.events[0]

    def post() -> int:
        answer = Client().post(
            reverse("billing:gateway-events"), counter.vendor.body(event), content_type="application/json", headers={"Stripe-Signature": "signed"}
        )
        gateway_events.apply(event_id=event.id, now=counter.now)
        return answer.status_code

    assert together(*[post] * 5) == [200] * 5
    assert GatewayEvent.objects.filter(processed_at__isnull=False).count() == 1
    assert Entry.objects.filter(kind="payment_settled").count() == Document.objects.count() == 1
    assert Agreement.objects.get().state == "open"


def test_two_events_of_one_change_at_once_are_one_effect(counter: Counter):  # noqa: F811
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    first, second = stored(counter)
    both_have_read(counter.vendor)

    together(*[lambda event=event: gateway_events.apply(event_id=event, now=counter.now) for event in (first, second)])

    assert not GatewayEvent.objects.filter(processed_at__isnull=True).exists()
    assert Entry.objects.filter(kind="payment_settled").count() == 1


def test_two_clicks_on_pay_open_one_checkout(counter: Counter):  # noqa: F811
    number = counter.order()

    addresses = together(*[lambda: counter.start(number)] * 4)

    assert len(set(addresses)) == 1
    assert len(counter.vendor.checkouts) == PaymentAttempt.objects.count() == Payment.objects.count() == 1


def test_the_end_of_a_hold_and_its_payment_at_once_leave_no_money_between_them(counter: Counter):  # noqa: F811
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    event, _ = stored(counter)

    together(lambda: agreements.lapse(number=number, now=counter.now), lambda: gateway_events.apply(event_id=event, now=counter.now))

    state = Agreement.objects.get().state
    assert (state, Document.objects.count(), Refund.objects.count()) in {("open", 1, 0), ("lapsed", 0, 1)}


def test_a_refund_rung_and_swept_at_once_is_sent_once(counter: Counter):  # noqa: F811
    counter.buy()
    payment = Payment.objects.get()
    amount = payment.agreement.gross_minor
    money = captures.Money.from_minor(amount, payment.currency)
    number = refunds.want_by_hand(payment=payment.number, amount=money, reason="x", token="a", by=counter.cast.fin, now=counter.now)

    together(*[lambda: refunds.send(refund=number, now=counter.now)] * 2, lambda: payments.sweep(now=counter.now))

    assert counter.vendor.asked.count("refund") == len(counter.vendor.refunds) == 1
    assert Refund.objects.get().state == "succeeded"


def test_the_news_of_one_refund_from_several_mouths_is_booked_once(counter: Counter):  # noqa: F811
    counter.buy()
    counter.vendor.give_back("pi_1", 5000)
    events = stored(counter)[-2:]

    together(*[lambda event=event: gateway_events.apply(event_id=event, now=counter.now) for event in events * 2])
    payments.sweep(now=counter.at(600))

    assert Refund.objects.count() == Entry.objects.filter(kind="refund_settled").count() == 1
    assert Payment.objects.get().refunded_minor == 5000
