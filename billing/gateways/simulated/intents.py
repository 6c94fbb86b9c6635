"""PaymentIntents of cards: the whole state machine, the charge it makes, and refunds of it.

requires_payment_method -> requires_confirmation -> requires_action -> processing -> requires_capture -> succeeded; canceled from any but the last.
"""

from __future__ import annotations

from billing.gateways.simulated import amounts, cards, faults, forms, shapes
from billing.gateways.simulated.calls import Call
from billing.gateways.simulated.store import new_id

CONFIRMABLE = {"requires_payment_method", "requires_confirmation", "requires_action"}
CANCELABLE = CONFIRMABLE | {"requires_capture", "processing"}


def make(call: Call, params: dict, amount: int, currency: str) -> dict:
    intent = shapes.payment_intent(params, amount, currency, call.now)
    call.store.add("payment_intent", intent)
    call.emit("payment_intent.created", intent)
    return intent


def method_of(call: Call, name: str) -> dict:
    """The payment method called `name`; a test token such as pm_card_visa makes a new one."""
    card = cards.BY_TOKEN.get(name)
    return add_method(call, card) if card else call.need("payment_method", name, "PaymentMethod")


def add_method(call: Call, card: cards.Card) -> dict:
    return call.store.add("payment_method", shapes.payment_method(card, call.now), {"number": card.number})


def confirm(call: Call, intent: dict, method: dict, return_url: str | None) -> dict:
    """Try to pay with `method`. Raises the vendor's card_error when the card says no; the intent has been changed then."""
    if intent["status"] not in CONFIRMABLE:
        raise faults.unexpected_state(intent, "confirm")
    card = cards.BY_NUMBER[call.store.private(method["id"])["number"]]
    intent.update(payment_method=method["id"], next_action=None, last_payment_error=None)
    if call.store.take_wish("decline"):
        return refuse(call, intent, method, code="card_declined", decline_code="generic_decline", message="Your card was declined.")
    if card.challenge:
        return _challenge(call, intent, return_url)
    if card.code:
        return refuse(call, intent, method, code=card.code, decline_code=card.decline_code, message=card.message)
    return authorise(call, intent, method)


def _challenge(call: Call, intent: dict, return_url: str | None) -> dict:
    url = f"{call.address}/3ds/{intent['id']}"
    action = {"type": "redirect_to_url", "redirect_to_url": {"return_url": return_url, "url": url}}
    intent.update(status="requires_action", next_action=action if return_url else {"type": "use_stripe_sdk", "use_stripe_sdk": {"stripe_js": url}})
    call.store.save(intent)
    call.emit("payment_intent.requires_action", intent)
    return intent


def answer_challenge(call: Call, intent: dict, *, passed: bool) -> dict:
    """What the cardholder did on the 3-D Secure page. Raises the card_error when he failed."""
    if intent["status"] != "requires_action":
        raise faults.unexpected_state(intent, "authenticate")
    method = call.need("payment_method", intent["payment_method"], "PaymentMethod")
    intent["next_action"] = None
    if passed:
        return authorise(call, intent, method)
    words = "We are unable to authenticate your payment method. Please choose a different payment method and try again."
    return refuse(call, intent, method, code="payment_intent_authentication_failure", decline_code="", message=words, charged=False)


def refuse(call: Call, intent: dict, method: dict, *, code: str, decline_code: str, message: str, charged: bool = True) -> dict:
    error = {"type": "card_error", "code": code, "decline_code": decline_code, "message": message, "payment_method": method}
    if charged:
        charge = shapes.charge(intent, method, call.now)
        outcome = {
            **charge["outcome"],
            "network_status": "declined_by_network",
            "reason": decline_code or code,
            "seller_message": message,
            "type": "issuer_declined",
        }
        charge.update(status="failed", paid=False, failure_code=code, failure_message=message, outcome=outcome)
        call.store.add("charge", charge)
        error["charge"] = intent["latest_charge"] = charge["id"]
        call.emit("charge.failed", charge)
    intent.update(status="requires_payment_method", last_payment_error={name: value for name, value in error.items() if value}, payment_method=None)
    call.store.save(intent)
    call.emit("payment_intent.payment_failed", intent)
    raise faults.declined(intent)


def authorise(call: Call, intent: dict, method: dict) -> dict:
    if intent["capture_method"] != "manual" and call.store.take_wish("process"):
        intent.update(status="processing", processing={"type": "card"}, next_action=None)
        call.store.save(intent)
        call.emit("payment_intent.processing", intent)
        return intent
    charge = call.store.add("charge", shapes.charge(intent, method, call.now))
    intent.update(latest_charge=charge["id"], next_action=None, processing=None)
    if intent["capture_method"] == "manual":
        intent.update(status="requires_capture", amount_capturable=intent["amount"])
        call.store.save(intent)
        call.emit("payment_intent.amount_capturable_updated", intent)
        return intent
    return capture(call, intent, charge, intent["amount"])


def capture(call: Call, intent: dict, charge: dict, amount: int) -> dict:
    """The money is ours: charge, balance and intent say so."""
    fee = amount * 15 // 1000 + 25
    entry = call.store.add("balance_transaction", shapes.balance_transaction(charge, amount, fee, "charge", call.now))
    charge.update(captured=True, amount_captured=amount, balance_transaction=entry["id"])
    call.store.save(charge)
    intent.update(status="succeeded", amount_received=amount, amount_capturable=0)
    call.store.save(intent)
    call.emit("charge.succeeded", charge)
    call.emit("payment_intent.succeeded", intent)
    return intent


def settle(call: Call, intent: dict, *, succeeded: bool) -> dict:
    """End the waiting of an intent that is processing."""
    if intent["status"] != "processing":
        raise faults.unexpected_state(intent, "settle")
    method = call.need("payment_method", intent["payment_method"], "PaymentMethod")
    intent["processing"] = None
    if succeeded:
        return authorise(call, intent, method)
    return refuse(call, intent, method, code="card_declined", decline_code="generic_decline", message="Your card was declined.")


def cancel(call: Call, intent: dict, reason: str | None) -> dict:
    if intent["status"] not in CANCELABLE:
        raise faults.unexpected_state(intent, "cancel")
    intent.update(status="canceled", canceled_at=call.now, cancellation_reason=reason, next_action=None, processing=None, amount_capturable=0)
    call.store.save(intent)
    call.emit("payment_intent.canceled", intent)
    return intent


def refund(call: Call, params: dict) -> dict:
    """Give back a part or all of a charge; refuses more than is left of it."""
    charge = _charge_to_refund(call, params)
    left = charge["amount_captured"] - charge["amount_refunded"]
    if left <= 0:
        raise faults.invalid(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    amount = left if params.get("amount") in (None, "") else amounts.integer(params["amount"], "amount")
    if amount < 1:
        raise faults.invalid("This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer")
    if amount > left:
        raise faults.invalid(f"Refund amount ({amount}) is greater than unrefunded amount on charge ({left})", param="amount")
    body = shapes.refund({**params, "metadata": forms.table(params, "metadata")}, charge, amounts.fine_enough(amount, charge["currency"]), call.now)
    wanted = _wanted_course(call, charge)
    body["status"] = "succeeded" if wanted == "succeeded" else "pending"
    entry = shapes.balance_transaction({**body, "id": body["id"]}, -amount, 0, "refund", call.now)
    body["balance_transaction"] = call.store.add("balance_transaction", entry)["id"]
    call.store.add("refund", body, {"becomes": wanted})
    _count(call, charge, amount)
    call.emit("refund.created", body)
    call.emit("charge.refunded", charge)
    if wanted == "failed":
        settle_refund(call, body, status="failed")
    return body


def _wanted_course(call: Call, charge: dict) -> str:
    if call.store.take_wish("fail_refund"):
        return "failed"
    if call.store.take_wish("pend_refund"):
        return "pending"
    return cards.BY_NUMBER[call.store.private(charge["payment_method"])["number"]].refunds


def _charge_to_refund(call: Call, params: dict) -> dict:
    if params.get("charge"):
        return call.need("charge", params["charge"])
    if not params.get("payment_intent"):
        raise faults.invalid("One of the following params should be provided for this request: payment_intent or charge.")
    intent = call.need("payment_intent", params["payment_intent"])
    charge = call.store.get("charge", intent["latest_charge"])
    if charge is None or not charge["captured"]:
        raise faults.invalid(f"This PaymentIntent ({intent['id']}) does not have a successful charge to refund.", param="payment_intent")
    return charge


def _count(call: Call, charge: dict, amount: int) -> None:
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount_captured"]
    call.store.save(charge)


def settle_refund(call: Call, body: dict, *, status: str) -> dict:
    """The bank's last word on a refund. One that failed comes back to us, also after it had been reported as succeeded."""
    if body["status"] == status or body["status"] in ("failed", "canceled"):
        raise faults.invalid(f"This refund is {body['status']} and cannot become {status}.")
    body["status"] = status
    if status == "failed":
        body.update(failure_reason="unknown", failure_balance_transaction=new_id("txn"))
        _count(call, call.need("charge", body["charge"]), -body["amount"])
    call.store.save(body)
    call.emit("refund.updated", body)
    if status == "failed":
        call.emit("refund.failed", body)
    return body
