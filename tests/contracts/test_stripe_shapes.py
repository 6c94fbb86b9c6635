"""The stand-in's answers have the keys that the vendor's example objects have."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
KEYS: dict[str, list[str]] = json.loads((HERE / "stripe_keys.json").read_text())["resources"]
SHARED = Path(os.environ.get("PORTAL_SHARED") or HERE.parents[1] / "../shared") / "engines/stripe/stripe_fixtures3.json"


@pytest.fixture(scope="module")
def answers(stand_in) -> dict[str, dict]:
    """One object of each resource as the stand-in answers it."""
    import stripe

    from tests.contracts.stand_in import KEY

    client = stripe.StripeClient(KEY, base_addresses={"api": stand_in.url}).v1
    price = {"currency": "usd", "unit_amount": 1999, "product_data": {"name": "x"}}
    session = {
        "mode": "payment",
        "success_url": "http://127.0.0.1:1/",
        "line_items": [{"price_data": price, "quantity": 1}],
        "expires_at": int(time.time()) + 3600,
    }
    intent = client.payment_intents.create(params={"amount": 1999, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True})
    charge = client.charges.retrieve(intent.latest_charge)
    made = [
        client.customers.create(params={"email": "a@example.com"}),
        client.payment_methods.create(params={"type": "card", "card": {"number": "4242424242424242"}}),
        client.checkout.sessions.create(params=session),
        intent,
        charge,
        client.refunds.create(params={"payment_intent": intent.id}),
        client.balance_transactions.retrieve(charge.balance_transaction),
        client.events.list(params={"limit": 1}).data[0],
        client.webhook_endpoints.list().data[0],
    ]
    return {each.object: each.to_dict() for each in made}


@pytest.mark.parametrize("resource", KEYS)
def test_an_answer_has_every_key_of_the_vendors_example(answers, resource):
    assert not set(KEYS[resource]) - answers[resource].keys()


@pytest.mark.parametrize("resource", KEYS)
def test_an_answer_invents_no_key(answers, resource):
    assert not answers[resource].keys() - set(KEYS[resource])


@pytest.mark.skipif(
    not SHARED.exists() and not os.environ.get("PORTAL_SHARED"), reason="the vendor's own file is not at hand; its keys are in stripe_keys.json"
)
def test_our_list_of_keys_is_the_vendors():
    examples = json.loads(SHARED.read_text())["resources"]

    assert {name: sorted(examples[name]) for name in KEYS} == KEYS


def test_a_failed_refund_says_why_as_the_vendor_does(stand_in, vendor):
    intent = vendor.v1.payment_intents.create(params={"amount": 1999, "currency": "usd", "payment_method": "pm_card_refundFail", "confirm": True})

    refund = vendor.v1.refunds.create(params={"payment_intent": intent.id})

    assert (refund.status, refund.failure_reason) == ("failed", "unknown")
    assert refund.failure_balance_transaction
