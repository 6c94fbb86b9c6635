"""Paying over HTTP with every part real: the portal's pages, the vendor's client, the stand-in's process with its hosted page, and its signed events."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import httpx
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from billing.models import Agreement, Document, Entry, GatewayEvent, Payment, PaymentAttempt, Refund
from billing.queries import payments as found
from billing.services import agreements, gateway, payments
from tests.billing.conftest import till  # noqa: F401 - a fixture
from tests.contracts.stand_in import KEY, SECRET, StandIn

pytestmark = pytest.mark.django_db(transaction=True)


class Shop:
    """Ada's browser at the portal, and the stand-in beside it. The portal's clock is real here; `sweep(later)` looks as many seconds ahead."""

    def __init__(self, till, live_server, stand_in: StandIn) -> None:  # noqa: F811
        self.till, self.stand_in, self.portal = till, stand_in, live_server.url
        till.now = timezone.now()
        self.number = till.order()
        self.browser = Client()
        self.browser.force_login(till.cast.ada, backend="django.contrib.auth.backends.ModelBackend")

    def pay(self):
        return self.browser.post(reverse("billing:agreement-pay", args=[self.number]))

    def session(self) -> str:
        """Press the pay button; the id of the checkout it leads to."""
        answer = self.pay()
        assert answer.status_code == 303, answer.content.decode()
        return answer["Location"].rsplit("/", 1)[1]

    def come_back(self) -> str:
        return self.browser.get(reverse("billing:agreement-return", args=[self.number])).content.decode()

    def stage(self) -> str:
        return found.progress(agreement=self.number).stage

    def sweep(self, later: int = 0) -> None:
        payments.sweep(now=timezone.now() + timedelta(seconds=later))

    def arrived(self, *types: str) -> None:
        """Wait until an event of each of `types` has arrived over HTTP."""
        deadline = time.monotonic() + 30
        while not set(types) <= set(GatewayEvent.objects.values_list("type", flat=True)):
            assert time.monotonic() < deadline, list(GatewayEvent.objects.values_list("type", flat=True))
            time.sleep(0.05)


@pytest.fixture
def stand_in(tmp_path, live_server):
    stand_in = StandIn(tmp_path, webhook_url=live_server.url + reverse("billing:gateway-events")).start()
    yield stand_in
    stand_in.stop()


@pytest.fixture
def shop(till, live_server, stand_in, settings) -> Shop:  # noqa: F811
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE, settings.STRIPE_WEBHOOK_SECRETS = KEY, stand_in.url, ["whsec_older", SECRET]
    settings.BASE_URL = live_server.url
    return Shop(till, live_server, stand_in)


def test_a_card_on_the_hosted_page_pays_and_the_customer_comes_back_to_a_confirmed_booking(shop: Shop):
    session = shop.session()

    page = httpx.post(f"{shop.stand_in.url}/c/pay/{session}", data={"card": "4242424242424242"})
    back = shop.browser.get(page.headers["location"].removeprefix(shop.portal)).content.decode()

    assert page.status_code == 303
    assert "Your booking is confirmed." in back
    assert (Agreement.objects.get().state, Document.objects.get().status.paid_minor) == ("open", Agreement.objects.get().gross_minor)


def test_the_event_alone_settles_a_payment_whose_customer_never_came_back(shop: Shop):
    shop.stand_in.pay(shop.session())

    shop.arrived("payment_intent.succeeded", "checkout.session.completed")
    shop.sweep()

    assert shop.stage() == "paid"
    assert Entry.objects.filter(kind="payment_settled").count() == 1


def test_events_twice_late_and_badly_signed_end_in_one_payment(shop: Shop):
    shop.stand_in.next("deliver_twice", times=9)
    shop.stand_in.next("deliver_late", only="payment_intent.succeeded", seconds=2)
    shop.stand_in.next("bad_signature", only="checkout.session.completed")
    shop.stand_in.pay(shop.session())

    shop.arrived("payment_intent.succeeded", "checkout.session.completed", "charge.succeeded", "payment_intent.created")
    shop.sweep()

    deliveries = shop.stand_in.state()["deliveries"]
    assert len(deliveries) == 8
    assert GatewayEvent.objects.count() == 4
    assert (Payment.objects.count(), Entry.objects.filter(kind="payment_settled").count(), Document.objects.count()) == (1, 1, 1)
    assert any(row["last_answer"] == "400" or row["attempts"] > 1 for row in deliveries)


def test_events_in_reverse_order_end_in_one_payment(shop: Shop):
    session = shop.session()
    shop.stand_in.next("hold", times=20)
    shop.stand_in.pay(session, "4000000000000002")
    shop.stand_in.pay(session)
    assert shop.stage() == "unpaid"

    shop.stand_in.control("release", order="reverse")
    shop.arrived("payment_intent.created", "payment_intent.payment_failed", "payment_intent.succeeded", "checkout.session.completed")
    shop.sweep()

    assert shop.stage() == "paid"


def test_an_event_that_never_comes_is_made_up_for_by_looking(shop: Shop):
    shop.stand_in.next("drop", times=20)
    shop.stand_in.pay(shop.session())

    shop.sweep(later=30)

    assert shop.stage() == "paid"
    assert GatewayEvent.objects.filter(type="payment_intent.succeeded").count() == 1, "the gateway's own list was read"


def test_a_declined_card_a_refused_challenge_and_an_abandoned_checkout_charge_nothing(shop: Shop):
    session = shop.session()
    shop.stand_in.pay(session, "4000000000000002")
    declined = shop.come_back()
    shop.stand_in.pay(session, "4000002760003184")
    intent = gateway.current().checkout(id=session).intent.id
    shop.stand_in.answer_challenge(intent, "fail")
    refused = shop.come_back()

    assert "The bank declined the card" in declined
    assert "could not confirm that it was you" in refused
    assert shop.session() == session, "the same checkout is carried on"
    assert not Entry.objects.exists()


def test_a_confirmed_challenge_pays(shop: Shop):
    session = shop.session()
    shop.stand_in.pay(session, "4000002760003184")
    intent = gateway.current().checkout(id=session).intent.id

    onward = shop.stand_in.answer_challenge(intent, "authenticate")

    assert onward == shop.portal + reverse("billing:agreement-return", args=[shop.number])
    assert "Your booking is confirmed." in shop.come_back()


def test_a_dead_gateway_is_a_clear_503_and_nothing_is_lost(shop: Shop):
    shop.stand_in.kill()

    refused = shop.pay()
    shop.stand_in.start()
    session = shop.session()
    shop.stand_in.pay(session)

    assert refused.status_code == 503
    assert PaymentAttempt.objects.count() == 1
    assert "Your booking is confirmed." in shop.come_back()


def test_a_gateway_killed_between_effect_and_answer_makes_one_checkout(shop: Shop):
    shop.stand_in.next("hang", only="/v1/checkout/sessions", seconds=60)
    answers: list = []
    asking = threading.Thread(target=lambda: answers.append(shop.pay()))
    asking.start()
    deadline = time.monotonic() + 20
    while not shop.stand_in.state()["objects"].get("checkout.session"):
        assert time.monotonic() < deadline
        time.sleep(0.05)

    shop.stand_in.kill()
    asking.join(40)
    shop.stand_in.start()
    session = shop.session()

    assert answers[0].status_code == 503
    assert shop.stand_in.state()["objects"]["checkout.session"] == 1
    assert PaymentAttempt.objects.get().gateway_session == session


def test_a_gateway_killed_between_effect_and_answer_refunds_once(shop: Shop):
    shop.stand_in.pay(shop.session())
    shop.come_back()
    shop.till.serve(shop.number, timedelta(0), timedelta(hours=36))
    agreements.end(number=shop.number, now=timezone.now())
    shop.stand_in.next("hang", only="/v1/refunds", seconds=60)
    sweeping = threading.Thread(target=shop.sweep)
    sweeping.start()
    deadline = time.monotonic() + 20
    while not shop.stand_in.state()["objects"].get("refund"):
        assert time.monotonic() < deadline
        time.sleep(0.05)

    shop.stand_in.kill()
    sweeping.join(40)
    shop.stand_in.start()
    shop.sweep(later=3600)

    refund = Refund.objects.get()
    assert (refund.state, shop.stand_in.state()["objects"]["refund"]) == ("succeeded", 1)
    assert Payment.objects.get().refunded_minor == refund.amount_minor > 0


def test_a_refund_that_the_bank_fails_later_is_owed_again(shop: Shop):
    shop.stand_in.pay(shop.session())
    shop.come_back()
    shop.till.serve(shop.number, timedelta(0), timedelta(hours=36))
    agreements.end(number=shop.number, now=timezone.now())
    shop.stand_in.next("fail_refund")

    shop.sweep()
    shop.arrived("refund.failed")
    shop.sweep()

    assert Refund.objects.get().state == "failed"
    assert Payment.objects.get().refunded_minor == 0


def test_a_payment_after_the_hold_had_ended_goes_back_by_itself(shop: Shop):
    session = shop.session()
    agreements.lapse(number=shop.number, now=timezone.now())
    shop.stand_in.pay(session)

    shop.arrived("payment_intent.succeeded")
    shop.sweep()
    shop.sweep(later=1)

    assert Refund.objects.get().state == "succeeded"
    assert "given back" in shop.come_back()
    assert not Document.objects.exists()
