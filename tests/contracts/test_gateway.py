"""What every gateway must do, tried over HTTP against the real process with the vendor's real client."""

from __future__ import annotations

import dataclasses
import time
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from billing.gateways import base
from billing.gateways.stripe import Stripe
from portal.kernel.money import Money
from tests.contracts import stripe_parameters
from tests.contracts.stand_in import KEY, SECRET, free_port


def wish(amount: int = 108864, currency: str = "USD", **more: object) -> base.CheckoutWish:
    name = uuid.uuid4().hex[:10]
    plain = base.CheckoutWish(
        key=f"pay:{name}:1",
        amount=amount,
        currency=currency,
        title="8 × A100 80 GB",
        description="72 h from 2026-12-02",
        agreement=f"A-{name}",
        payment=f"P-{name}",
        attempt="1",
        success_url="http://127.0.0.1:1/paid/",
        cancel_url="http://127.0.0.1:1/back/",
        expires_at=int(time.time()) + 3600,
        language="en",
        email="bills@example.com",
    )
    return dataclasses.replace(plain, **more)


def paid(gateway, stand_in, **more) -> base.IntentSeen:
    opened = gateway.open_checkout(wish=wish(**more))
    stand_in.pay(opened.id)
    return gateway.checkout(id=opened.id).intent


def test_a_checkout_is_open_until_a_card_pays_it(gateway, stand_in):
    asked = wish()

    opened = gateway.open_checkout(wish=asked)
    before = gateway.checkout(id=opened.id)
    stand_in.pay(opened.id)
    after = gateway.checkout(id=opened.id)

    assert (before.state, before.intent) == ("open", None)
    assert before.url.startswith(stand_in.url)
    assert after.state == "complete"
    assert (after.intent.state, after.intent.received) == ("succeeded", Money.from_minor(108864, "USD"))
    assert (after.intent.payment, after.intent.agreement, after.intent.attempt) == (asked.payment, asked.agreement, "1")
    assert gateway.intent(id=after.intent.id) == after.intent


def test_a_declined_card_leaves_the_checkout_open_for_another_one(gateway, stand_in):
    opened = gateway.open_checkout(wish=wish())

    stand_in.pay(opened.id, "4000000000009995")
    declined = gateway.checkout(id=opened.id)
    stand_in.pay(opened.id, "4242424242424242")
    paid_at_last = gateway.checkout(id=opened.id)

    assert (declined.state, declined.intent.state, declined.intent.failure) == ("open", "failed", "insufficient_funds")
    assert declined.intent.received == Money.zero("USD")
    assert (paid_at_last.intent.state, paid_at_last.intent.id) == ("succeeded", declined.intent.id)


def test_a_card_that_asks_for_3d_secure_pays_only_after_the_answer(gateway, stand_in):
    opened = gateway.open_checkout(wish=wish())
    stand_in.pay(opened.id, "4000002760003184")
    asked = gateway.checkout(id=opened.id)

    back = stand_in.answer_challenge(asked.intent.id, "fail")
    refused = gateway.checkout(id=opened.id)
    stand_in.pay(opened.id, "4000002760003184")
    onward = stand_in.answer_challenge(asked.intent.id, "authenticate")

    assert (asked.state, asked.intent.state) == ("open", "requires_action")
    assert (refused.state, refused.intent.state, refused.intent.failure) == ("open", "failed", "payment_intent_authentication_failure")
    assert back == f"/c/pay/{opened.id}"
    assert onward == "http://127.0.0.1:1/paid/"
    assert gateway.checkout(id=opened.id).intent.state == "succeeded"


def test_an_expired_checkout_takes_no_card_any_more(gateway, stand_in):
    opened = gateway.open_checkout(wish=wish())
    stand_in.pay(opened.id, "4000000000000002")

    closed = gateway.expire_checkout(id=opened.id)
    stand_in.pay(opened.id, "4242424242424242")

    assert closed.state == "expired"
    assert gateway.checkout(id=opened.id).intent.state == "cancelled"
    with pytest.raises(base.Refused):
        gateway.expire_checkout(id=opened.id)


def test_the_same_key_gives_the_same_checkout_and_other_parameters_with_it_are_refused(gateway):
    asked = wish()

    first, again = gateway.open_checkout(wish=asked), gateway.open_checkout(wish=asked)

    assert first == again
    with pytest.raises(base.Refused, match="same parameters"):
        gateway.open_checkout(wish=dataclasses.replace(asked, amount=1))


def test_the_same_key_gives_the_same_refund(gateway, stand_in):
    intent = paid(gateway, stand_in)
    asked = base.RefundWish(key=f"refund:{intent.id}", intent=intent.id, amount=5000, refund="R-1001")

    first, again = gateway.refund(wish=asked), gateway.refund(wish=asked)

    assert first == again
    assert (first.state, first.amount, first.intent, first.refund) == ("succeeded", Money.from_minor(5000, "USD"), intent.id, "R-1001")
    assert gateway.refunds_of(intent=intent.id) == [first]
    assert gateway.refund_now(id=first.id) == first


def test_never_more_is_refunded_than_was_captured(gateway, stand_in):
    intent = paid(gateway, stand_in, amount=1999)
    gateway.refund(wish=base.RefundWish(key=f"one:{intent.id}", intent=intent.id, amount=1500, refund="R-1"))

    with pytest.raises(base.Refused, match="greater than"):
        gateway.refund(wish=base.RefundWish(key=f"two:{intent.id}", intent=intent.id, amount=500, refund="R-2"))

    assert len(gateway.refunds_of(intent=intent.id)) == 1


def test_a_refund_may_be_pending_and_may_fail_later(gateway, stand_in):
    intent = paid(gateway, stand_in)
    stand_in.next("pend_refund")
    pending = gateway.refund(wish=base.RefundWish(key=f"p:{intent.id}", intent=intent.id, amount=700, refund="R-1"))

    stand_in.control(f"refunds/{pending.id}", status="failed")

    assert pending.state == "pending"
    assert gateway.refund_now(id=pending.id).state == "failed"
    assert gateway.refund(wish=base.RefundWish(key=f"q:{intent.id}", intent=intent.id, amount=108864, refund="R-2")).state == "succeeded"


def test_a_refund_may_still_fail_after_it_had_succeeded(gateway, stand_in):
    intent = paid(gateway, stand_in)
    refund = gateway.refund(wish=base.RefundWish(key=f"p:{intent.id}", intent=intent.id, amount=700, refund="R-1"))

    stand_in.control(f"refunds/{refund.id}", status="failed")

    assert gateway.refund_now(id=refund.id).state == "failed"


def test_a_payment_may_stay_processing(gateway, stand_in):
    stand_in.next("process")
    opened = gateway.open_checkout(wish=wish())
    stand_in.pay(opened.id)
    waiting = gateway.checkout(id=opened.id)

    stand_in.control(f"payment_intents/{waiting.intent.id}", status="succeeded")

    assert (waiting.state, waiting.intent.state) == ("complete", "processing")
    assert gateway.intent(id=waiting.intent.id).state == "succeeded"


@pytest.mark.parametrize(("amount", "currency"), [(9899, "JPY"), (1230, "KWD"), (5000, "CNY"), (5000, "EUR")])
def test_amounts_go_out_and_come_back_as_they_are(gateway, stand_in, amount, currency):
    intent = paid(gateway, stand_in, amount=amount, currency=currency)

    refund = gateway.refund(wish=base.RefundWish(key=f"r:{intent.id}", intent=intent.id, amount=amount, refund="R-1"))

    assert intent.amount == intent.received == refund.amount == Money.from_minor(amount, currency)


@pytest.mark.parametrize(("amount", "currency"), [(49, "USD"), (49, "JPY"), (1234, "KWD"), (5000, "ZZZ"), (100_000_000, "USD")])
def test_an_amount_or_currency_that_cannot_be_moved_is_refused(gateway, amount, currency):
    with pytest.raises(base.Refused):
        gateway.open_checkout(wish=wish(amount=amount, currency=currency))


def test_an_unknown_id_is_told_apart_from_other_refusals(gateway):
    with pytest.raises(base.NoSuchObject):
        gateway.intent(id="pi_unknown")


def test_a_wrong_secret_key_is_a_fault_of_our_settings(stand_in):
    with pytest.raises(base.Misconfigured):
        Stripe(secret_key="sk_test_wrong", api_base=stand_in.url).checkout(id="cs_x")


def test_nobody_listening_is_an_unknown_outcome():
    with pytest.raises(base.OutcomeUnknown) as caught:
        Stripe(secret_key=KEY, api_base=f"http://127.0.0.1:{free_port()}").open_checkout(wish=wish())

    assert not caught.value.answered


def test_a_service_that_is_not_available_has_done_nothing(gateway, stand_in):
    asked = wish()
    stand_in.next("unavailable")

    with pytest.raises(base.OutcomeUnknown) as caught:
        gateway.open_checkout(wish=asked)

    assert caught.value.answered
    assert gateway.open_checkout(wish=asked).state == "open"


def test_a_fault_of_the_service_is_repeated_for_its_key_and_leaves_its_effect(gateway, stand_in):
    intent = paid(gateway, stand_in)
    asked = base.RefundWish(key=f"broken:{intent.id}", intent=intent.id, amount=100, refund="R-77")
    stand_in.next("broken")

    for _ in range(2):
        with pytest.raises(base.OutcomeUnknown) as caught:
            gateway.refund(wish=asked)
        assert caught.value.answered

    assert [refund.refund for refund in gateway.refunds_of(intent=intent.id)] == ["R-77"]


def test_an_answer_that_comes_too_late_is_an_unknown_outcome_with_one_effect(gateway, stand_in, monkeypatch):
    monkeypatch.setattr("billing.gateways.stripe.WAIT_SECONDS", (1, 1))
    hurried = Stripe(secret_key=KEY, api_base=stand_in.url)
    asked = wish()
    before = stand_in.state()["objects"].get("checkout.session", 0)
    stand_in.next("hang", seconds=3)

    with pytest.raises(base.OutcomeUnknown):
        hurried.open_checkout(wish=asked)
    opened = gateway.open_checkout(wish=asked)

    assert opened.state == "open"
    assert stand_in.state()["objects"]["checkout.session"] == before + 1


def test_events_are_signed_and_tell_what_they_are_about(gateway, stand_in, endpoint):
    start = datetime.now(UTC) - timedelta(seconds=2)
    intent = paid(gateway, stand_in)
    known = [event.id for event in gateway.events_since(since=start) if event.intent == intent.id]

    arrived = [gateway.read_event(body=each.body, signature=each.signature, secrets=[SECRET]) for each in endpoint.wait_for(1)]
    while not {event.id for event in arrived} >= set(known):
        arrived = [gateway.read_event(body=each.body, signature=each.signature, secrets=[SECRET]) for each in endpoint.wait_for(len(arrived) + 1)]

    ours = [event for event in arrived if event.intent == intent.id]
    assert {"payment_intent.succeeded", "charge.succeeded", "checkout.session.completed"} <= {event.type for event in ours}
    assert {event.api_version for event in ours} == {gateway.api_version}


def test_either_of_two_secrets_is_accepted_and_a_third_is_not(gateway, stand_in, endpoint):
    paid(gateway, stand_in)
    message = endpoint.wait_for(1)[-1]

    assert gateway.read_event(body=message.body, signature=message.signature, secrets=["whsec_older", SECRET]).id
    with pytest.raises(base.BadSignature):
        gateway.read_event(body=message.body, signature=message.signature, secrets=["whsec_other"])
    with pytest.raises(base.BadSignature):
        gateway.read_event(body=message.body + b" ", signature=message.signature, secrets=[SECRET])
    with pytest.raises(base.BadSignature):
        gateway.read_event(body=message.body, signature="", secrets=[SECRET])


def test_a_message_older_than_five_minutes_is_not_believed(gateway, stand_in, endpoint, monkeypatch):
    paid(gateway, stand_in)
    message = endpoint.wait_for(1)[-1]
    moment = time.time()
    monkeypatch.setattr("stripe._webhook.time.time", lambda: moment + 301)

    with pytest.raises(base.BadSignature):
        gateway.read_event(body=message.body, signature=message.signature, secrets=[SECRET])


def test_the_endpoint_is_written_to_in_the_version_of_the_client(gateway, endpoint):
    assert gateway.endpoint_version(url=endpoint.url) == gateway.api_version
    assert gateway.endpoint_version(url="http://127.0.0.1:1/other/") is None


def test_every_request_was_compared_with_the_vendors_own_types(gateway, requests_made):
    gateway.open_checkout(wish=wish())

    assert [(method, url) for method, url, _ in requests_made] == [("post", "/v1/checkout/sessions")]


@pytest.mark.parametrize(
    "request_",
    [
        {"mode": "payment", "success_url": "http://a/", "payment_method_types": ["card"]},
        {"mode": "pay", "success_url": "http://a/"},
        {"mode": "payment", "success_url": 7},
        {"mode": "payment", "line_items": [{"price_data": {"currency": "usd", "unit_amount": "1"}}]},
    ],
)
def test_a_request_that_the_vendor_would_not_take_is_found(request_):
    assert stripe_parameters.faults(request_, stripe_parameters.request_type("post", "/v1/checkout/sessions"))
