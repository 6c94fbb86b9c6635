"""Checkout Sessions in payment mode: what the interface makes and what the hosted page does to them."""

from __future__ import annotations

from urllib.parse import urlsplit

from billing.gateways.simulated import amounts, cards, faults, forms, intents, shapes
from billing.gateways.simulated.calls import Call

SESSION = frozenset(
    "cancel_url client_reference_id customer customer_email expand expires_at line_items locale metadata mode payment_intent_data submit_type success_url "
    "ui_mode currency allowed_payment_method_types excluded_payment_method_types".split()
)
LEAST_LIFE, MOST_LIFE = 30 * 60, 24 * 3600


def open_session(call: Call, params: dict) -> dict:
    forms.check_known(params, SESSION)
    forms.required(params, "mode", "success_url", "line_items")
    if params["mode"] != "payment" or params.get("ui_mode", "hosted_page") != "hosted_page":
        raise faults.invalid("This stand-in has sessions of mode=payment with a hosted page only.", param="mode")
    for name in ("success_url", "cancel_url"):
        if params.get(name) and urlsplit(params[name]).scheme not in ("http", "https"):
            raise faults.invalid("Not a valid URL", param=name, code="url_invalid")
    lines, currency = _lines(params)
    total = amounts.amount(sum(line["amount"] for line in lines), currency, "line_items")
    expires_at = _expiry(call, params)
    named = {**params, "metadata": forms.table(params, "metadata")}
    body = shapes.session(named, total, currency, expires_at, call.address, call.now)
    return call.store.add("checkout.session", body, {"lines": lines, "intent": forms.table(params, "payment_intent_data")})


def _lines(params: dict) -> tuple[list[dict], str]:
    if not isinstance(params["line_items"], list):
        raise faults.invalid("Invalid array", param="line_items")
    lines, currencies = [], set()
    for position, item in enumerate(params["line_items"]):
        price = forms.table(item, "price_data")
        param = f"line_items[{position}][price_data]"
        if not price or "unit_amount" not in price:
            raise faults.invalid("This stand-in takes line items with price_data and unit_amount only.", param=param)
        currencies.add(amounts.currency(price.get("currency", ""), f"{param}[currency]"))
        quantity = amounts.integer(item.get("quantity", 1), f"line_items[{position}][quantity]")
        product = forms.table(price, "product_data")
        forms.required(product, "name")
        amount = amounts.integer(price["unit_amount"], f"{param}[unit_amount]") * quantity
        lines.append({"name": product["name"], "description": product.get("description", ""), "quantity": quantity, "amount": amount})
    if len(currencies) != 1:
        raise faults.invalid("All line items must have one currency.", param="line_items")
    return lines, currencies.pop()


def _expiry(call: Call, params: dict) -> int:
    if not params.get("expires_at"):
        return call.now + MOST_LIFE
    wanted = amounts.integer(params["expires_at"], "expires_at")
    # A minute of grace on both ends: the vendor's limits count from its own clock.
    if not call.now + LEAST_LIFE - 60 <= wanted <= call.now + MOST_LIFE + 60:
        raise faults.invalid("The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.", param="expires_at")
    return wanted


def aged(call: Call, session: dict) -> dict:
    """The session as it is now: an open one whose time is over has expired."""
    if session["status"] == "open" and session["expires_at"] <= call.now:
        return _close(call, session)
    return session


def expire(call: Call, session: dict) -> dict:
    session = aged(call, session)
    if session["status"] != "open":
        raise faults.invalid(f'Only Checkout Sessions with a status in ["open"] can be expired. This one is {session["status"]}.', param="session")
    return _close(call, session)


def _close(call: Call, session: dict) -> dict:
    session.update(status="expired", url=None)
    call.store.save(session)
    intent = call.store.get("payment_intent", session["payment_intent"])
    if intent and intent["status"] in intents.CONFIRMABLE:
        intents.cancel(call, intent, "abandoned")
    call.emit("checkout.session.expired", session)
    return session


def pay(call: Call, session: dict, number: str) -> dict:
    """What the hosted page does with a card. Returns the intent; raises the card_error when the card said no."""
    card = cards.BY_NUMBER.get(number)
    if card is None:
        raise faults.ApiError(402, "card_error", "Your card number is incorrect.", code="incorrect_number")
    intent = call.store.get("payment_intent", session["payment_intent"]) or _first_intent(call, session)
    back = f"{call.address}/c/pay/{session['id']}"
    return finish(call, session, intents.confirm(call, intent, intents.add_method(call, card), back))


def _first_intent(call: Call, session: dict) -> dict:
    wanted = call.store.private(session["id"])["intent"]
    named = {**wanted, "metadata": forms.table(wanted, "metadata"), "customer": session["customer"]}
    intent = intents.make(call, named, session["amount_total"], session["currency"])
    session["payment_intent"] = intent["id"]
    call.store.save(session)
    return intent


def finish(call: Call, session: dict, intent: dict) -> dict:
    """Complete the session once its intent was paid or is on its way."""
    if intent["status"] in ("succeeded", "processing", "requires_capture") and session["status"] == "open":
        session.update(status="complete", url=None, payment_status="paid" if intent["status"] == "succeeded" else "unpaid")
        call.store.save(session)
        call.emit("checkout.session.completed", session)
    return intent


def settled_later(call: Call, intent: dict) -> None:
    """Tell the session of an intent that had been processing how it ended."""
    for session in call.store.newest_first("checkout.session"):
        if session["payment_intent"] == intent["id"]:
            paid = intent["status"] == "succeeded"
            session["payment_status"] = "paid" if paid else "unpaid"
            call.store.save(session)
            call.emit("checkout.session.async_payment_succeeded" if paid else "checkout.session.async_payment_failed", session)
            return


def success_address(session: dict) -> str:
    return session["success_url"].replace("{CHECKOUT_SESSION_ID}", session["id"])
