"""The stand-in itself: what it remembers over `kill -9`, how it delivers, and what its hosted pages do."""

from __future__ import annotations

import json
import re
import threading
import time

import httpx
import pytest
import stripe

from billing.gateways.stripe import Stripe
from tests.contracts.stand_in import KEY, SECRET, Endpoint, StandIn
from tests.contracts.test_gateway import wish

CARD = {"amount": 1999, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}


@pytest.fixture
def quiet(tmp_path):
    """A stand-in of its own for one test, with an endpoint that is not there yet."""
    endpoint = Endpoint()
    stand_in = StandIn(tmp_path, webhook_url=endpoint.url).start()
    stand_in.endpoint = endpoint
    yield stand_in
    stand_in.stop()
    endpoint.close()


def client_of(stand_in) -> stripe.StripeClient:
    return stripe.StripeClient(KEY, base_addresses={"api": stand_in.url}, max_network_retries=0)


def types(messages) -> list[str]:
    return [json.loads(message.body)["type"] for message in messages]


def wait_until(done) -> None:
    deadline = time.monotonic() + 20
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_kill_between_effect_and_answer_loses_nothing_and_repeats_nothing(quiet):
    asked = wish()
    quiet.next("hang", only="/v1/checkout/sessions", seconds=60)
    failures = []

    def ask():
        try:
            Stripe(secret_key=KEY, api_base=quiet.url).open_checkout(wish=asked)
        except Exception as error:  # whatever a killed server looks like from here
            failures.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    wait_until(lambda: quiet.state()["objects"].get("checkout.session") == 1)
    quiet.kill()
    asking.join(30)
    quiet.start()
    opened = Stripe(secret_key=KEY, api_base=quiet.url).open_checkout(wish=asked)

    assert len(failures) == 1
    assert opened.state == "open"
    assert quiet.state()["objects"]["checkout.session"] == 1


def test_what_was_answered_is_there_after_a_kill(quiet):
    intent = client_of(quiet).v1.payment_intents.create(params=CARD, options={"idempotency_key": "one"})

    quiet.kill()
    quiet.start()
    again = client_of(quiet).v1.payment_intents.create(params=CARD, options={"idempotency_key": "one"})

    assert again.to_dict() == intent.to_dict()
    assert quiet.state()["objects"]["payment_intent"] == 1


def test_events_not_delivered_before_a_kill_are_delivered_after_it(quiet):
    quiet.endpoint.answers = [503] * 3
    client_of(quiet).v1.payment_intents.create(params=CARD)
    quiet.endpoint.wait_for(1)

    quiet.kill()
    quiet.start()

    wait_until(lambda: {row["state"] for row in quiet.state()["deliveries"]} == {"delivered"})
    assert {"payment_intent.created", "charge.succeeded", "payment_intent.succeeded"} <= set(types(quiet.endpoint.received))


def test_an_event_that_was_not_taken_comes_again_later(quiet):
    quiet.endpoint.answers = [500]

    client_of(quiet).v1.payment_intents.create(params=CARD)
    messages = quiet.endpoint.wait_for(4)

    assert types(messages[:1]) == ["payment_intent.created"]
    assert types(messages).count("payment_intent.created") == 2
    assert messages[0].body == next(each.body for each in messages[1:] if types([each]) == ["payment_intent.created"])


def test_events_can_be_delivered_twice_late_never_and_out_of_order(quiet):
    quiet.next("deliver_twice", only="charge.succeeded")
    quiet.next("drop", only="payment_intent.created")
    quiet.next("deliver_late", only="payment_intent.succeeded", seconds=1)
    client_of(quiet).v1.payment_intents.create(params=CARD)
    mixed = types(quiet.endpoint.wait_for(3))
    quiet.endpoint.received.clear()

    quiet.next("hold", times=3)
    client_of(quiet).v1.payment_intents.create(params=CARD)
    quiet.control("release", order="reverse")

    assert mixed == ["charge.succeeded", "charge.succeeded", "payment_intent.succeeded"]
    assert types(quiet.endpoint.wait_for(3)) == ["payment_intent.succeeded", "charge.succeeded", "payment_intent.created"]


def test_a_dropped_event_can_be_delivered_after_all(quiet):
    quiet.next("drop", times=9)
    client_of(quiet).v1.payment_intents.create(params=CARD)
    event = client_of(quiet).v1.events.list(params={"type": "payment_intent.succeeded"}).data[0]

    quiet.control(f"events/{event.id}/deliver")

    assert types(quiet.endpoint.wait_for(1)) == ["payment_intent.succeeded"]


def test_a_badly_signed_delivery_is_followed_by_a_good_one(quiet):
    quiet.next("bad_signature", only="payment_intent.created")
    quiet.endpoint.answers = [400]

    client_of(quiet).v1.payment_intents.create(params=CARD)
    twice = [each for each in quiet.endpoint.wait_for(4) if types([each]) == ["payment_intent.created"]]

    with pytest.raises(stripe.SignatureVerificationError):
        stripe.WebhookSignature.verify_header(twice[0].body, twice[0].signature, SECRET, 300)
    assert stripe.WebhookSignature.verify_header(twice[1].body, twice[1].signature, SECRET, 300)


def test_while_secrets_are_rolled_each_of_them_signs(tmp_path):
    endpoint = Endpoint()
    stand_in = StandIn(tmp_path, webhook_url=endpoint.url, secrets="whsec_new,whsec_old").start()
    client_of(stand_in).v1.payment_intents.create(params=CARD)
    message = endpoint.wait_for(1)[0]
    stand_in.stop()
    endpoint.close()

    for secret in ("whsec_new", "whsec_old"):
        assert stripe.WebhookSignature.verify_header(message.body, message.signature, secret, 300)


def test_an_event_says_which_request_caused_it(quiet):
    client = client_of(quiet)

    client.v1.payment_intents.create(params=CARD, options={"idempotency_key": "cause"})
    event = client.v1.events.list(params={"type": "payment_intent.succeeded"}).data[0]

    assert event.request.idempotency_key == "cause"
    assert event.request.id.startswith("req_")


def test_the_clock_can_be_moved_so_that_a_checkout_expires(quiet):
    gateway = Stripe(secret_key=KEY, api_base=quiet.url)
    opened = gateway.open_checkout(wish=wish())

    quiet.control("clock", advance=3601)

    assert gateway.checkout(id=opened.id).state == "expired"
    assert client_of(quiet).v1.events.list(params={"limit": 1}).data[0].type == "checkout.session.expired"


def test_the_control_interface_takes_json_only(quiet):
    assert httpx.post(f"{quiet.url}/_control/next", data={"what": "decline"}).status_code == 415
    assert httpx.post(f"{quiet.url}/_control/next", json={"what": "explode"}).status_code == 400


def test_a_foreign_host_name_is_not_answered(quiet):
    assert httpx.get(f"{quiet.url}/healthz", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"amount": 49, "currency": "usd"}, "amount_too_small"),
        ({"amount": 1999, "currency": "usd", "colour": "red"}, "parameter_unknown"),
        ({"currency": "usd"}, "parameter_missing"),
        ({"amount": 1234, "currency": "kwd"}, "parameter_invalid_integer"),
    ],
)
def test_a_request_that_is_wrong_is_refused_in_the_vendors_shape(vendor, params, code):
    with pytest.raises(stripe.InvalidRequestError) as caught:
        vendor.v1.payment_intents.create(params=params)

    assert (caught.value.http_status, caught.value.code) == (400, code)


def test_a_declined_card_is_a_card_error_that_names_its_reason_and_its_intent(vendor):
    with pytest.raises(stripe.CardError) as caught:
        vendor.v1.payment_intents.create(params={**CARD, "payment_method": "pm_card_visa_chargeDeclinedInsufficientFunds"})

    assert (caught.value.code, caught.value.error.decline_code) == ("card_declined", "insufficient_funds")
    assert caught.value.error.payment_intent.status == "requires_payment_method"


def test_an_intent_moves_by_its_states_only(vendor):
    intents = vendor.v1.payment_intents
    intent = intents.create(params={"amount": 1999, "currency": "usd", "capture_method": "manual"})
    states = [intent.status]
    states.append(intents.confirm(intent.id, params={"payment_method": "pm_card_visa"}).status)
    states.append(intents.capture(intent.id, params={"amount_to_capture": 1500}).status)

    assert states == ["requires_payment_method", "requires_capture", "succeeded"]
    assert intents.retrieve(intent.id).amount_received == 1500
    for verb in (intents.confirm, intents.cancel, intents.capture):
        with pytest.raises(stripe.InvalidRequestError, match="status of succeeded"):
            verb(intent.id)


def test_a_cancelled_intent_stays_cancelled(vendor):
    intent = vendor.v1.payment_intents.create(params={"amount": 1999, "currency": "usd", "payment_method": "pm_card_visa"})

    cancelled = vendor.v1.payment_intents.cancel(intent.id, params={"cancellation_reason": "abandoned"})

    assert (intent.status, cancelled.status, cancelled.cancellation_reason) == ("requires_confirmation", "canceled", "abandoned")
    with pytest.raises(stripe.InvalidRequestError):
        vendor.v1.payment_intents.confirm(intent.id, params={"payment_method": "pm_card_visa"})


def test_lists_are_paged_and_filtered(vendor):
    made = [vendor.v1.payment_intents.create(params=CARD).id for _ in range(3)]

    page = vendor.v1.payment_intents.list(params={"limit": 2})
    rest = vendor.v1.payment_intents.list(params={"limit": 2, "starting_after": page.data[-1].id})

    assert [each.id for each in page.data] == made[:0:-1]
    assert page.has_more
    assert rest.data[0].id == made[0]


def test_the_hosted_page_speaks_both_languages_and_needs_no_script(stand_in):
    gateway = Stripe(secret_key=KEY, api_base=stand_in.url)
    opened = gateway.open_checkout(wish=wish(language="zh"))

    chinese, english = httpx.get(opened.url), httpx.get(f"{opened.url}?lang=en")

    assert "模拟收银台，不涉及真实资金。" in chinese.text
    assert "No real money moves." in english.text
    assert "1,088.64" in english.text
    assert "<script" not in english.text
    assert "http://127.0.0.1:1" in english.headers["content-security-policy"]
    assert re.findall(r'value="(\d{16})"', english.text) == ["4242424242424242", "4000000000000002", "4000002760003184", "4000000000009995"]


def test_what_a_shop_wrote_is_shown_as_text(stand_in):
    opened = Stripe(secret_key=KEY, api_base=stand_in.url).open_checkout(wish=wish(title="<script>alert(1)</script>"))

    assert "<script>" not in httpx.get(opened.url).text


def test_a_paid_and_an_expired_page_lead_on(stand_in):
    gateway = Stripe(secret_key=KEY, api_base=stand_in.url)
    paid, expired = gateway.open_checkout(wish=wish()), gateway.open_checkout(wish=wish())

    stand_in.pay(paid.id)
    gateway.expire_checkout(id=expired.id)

    assert "http://127.0.0.1:1/paid/" in httpx.get(paid.url).text
    assert "http://127.0.0.1:1/back/" in httpx.get(expired.url).text
    assert httpx.get(f"{stand_in.url}/c/pay/cs_unknown").status_code == 404
