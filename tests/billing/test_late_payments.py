"""Paid too late, or twice: the money goes back, once."""

from __future__ import annotations

import pytest

from billing.models import Agreement, Announcement, Document, Payment, PaymentAttempt, Refund
from billing.queries import payments as found
from billing.services import agreements, payments
from tests.billing.counter import Counter, books_of


def test_a_payment_after_the_hold_had_ended_is_refunded_without_an_invoice(counter: Counter):
    number = counter.order()
    counter.start(number)
    agreements.lapse(number=number, now=counter.now)

    counter.vendor.card("cs_1")
    counter.deliver_all()
    refunding = found.progress(agreement=number)
    counter.send_refunds()

    payment, refund = Payment.objects.get(), Refund.objects.get()
    assert Agreement.objects.get().state == "lapsed"
    assert not Document.objects.exists()
    assert (refund.state, refund.amount_minor) == ("succeeded", payment.captured_minor)
    assert (refunding.stage, found.progress(agreement=number).stage) == ("refunding", "refunded")
    assert [each.kind for each in Announcement.objects.all()] == ["late_payment_refunded"]
    assert Announcement.objects.get().facts["reference"] == Agreement.objects.get().reference
    assert set(books_of(number).values()) == {0}


def test_a_late_payment_told_many_times_is_refunded_once(counter: Counter):
    number = counter.order()
    counter.start(number)
    agreements.lapse(number=number, now=counter.now)
    counter.vendor.card("cs_1")

    for _ in range(3):
        counter.deliver_all()
        counter.send_refunds()

    assert len(counter.vendor.refunds) == Refund.objects.count() == 1
    assert Announcement.objects.count() == 1


def test_the_checkout_of_a_hold_that_has_ended_is_closed(counter: Counter):
    number = counter.order()
    counter.start(number)
    agreements.lapse(number=number, now=counter.now)

    counter.sweep(later=1)

    assert counter.vendor.checkouts["cs_1"].state == "expired"
    assert PaymentAttempt.objects.get().outcome == "expired"
    with pytest.raises(payments.NotPayable):
        counter.start(number)


def test_a_card_that_was_faster_than_the_closing_of_its_checkout_is_refunded(counter: Counter):
    number = counter.order()
    counter.start(number)
    agreements.lapse(number=number, now=counter.now)
    seen = counter.vendor.checkout(id="cs_1")
    counter.vendor.card("cs_1")
    counter.vendor.events.clear()
    counter.vendor.checkout = lambda *, id, first=[seen]: first.pop() if first else type(counter.vendor).checkout(counter.vendor, id=id)

    counter.sweep(later=1)
    counter.send_refunds(later=2)

    assert Refund.objects.get().state == "succeeded"


def test_money_that_came_through_two_checkouts_goes_back_once(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.expire("cs_1")
    counter.refresh(number)
    counter.start(number)
    counter.vendor.card("cs_2")
    counter.deliver_all()
    counter.vendor.card("cs_1")

    counter.deliver_all()
    counter.deliver_all()
    counter.send_refunds()

    first, second = Payment.objects.order_by("id")
    assert (first.refunded_minor, second.refunded_minor) == (0, second.captured_minor)
    assert Document.objects.count() == 1
    assert [refund.payment_id for refund in Refund.objects.all()] == [second.pk]
    assert books_of(number)["gateway_clearing"] == Agreement.objects.get().gross_minor
