"""The vendor's REST interface, resource by resource. Each function is one request: it gets the Call, the parsed parameters and the id from the path."""

from __future__ import annotations

from billing.gateways.simulated import amounts, cards, checkout, faults, forms, intents, shapes
from billing.gateways.simulated.calls import Call

CUSTOMER = frozenset("address description email expand metadata name phone preferred_locales tax_id_data tax_exempt".split())
METHOD = frozenset("type card billing_details metadata expand".split())
INTENT = frozenset(
    "allowed_payment_method_types amount automatic_payment_methods capture_method confirm confirmation_method currency customer description "
    "error_on_requires_action excluded_payment_method_types expand metadata off_session payment_method receipt_email return_url setup_future_usage "
    "statement_descriptor_suffix".split()
)
CONFIRM = frozenset("capture_method error_on_requires_action expand off_session payment_method receipt_email return_url setup_future_usage".split())
REFUND = frozenset("amount charge currency expand metadata payment_intent reason".split())
LISTS = frozenset("created customer ending_before expand limit payment_intent starting_after type types charge status".split())
FILTERS = {
    "event": ("type",),
    "refund": ("payment_intent", "charge"),
    "payment_intent": ("customer",),
    "checkout.session": ("payment_intent", "customer", "status"),
    "balance_transaction": ("type",),
}
URLS = {
    "event": "/v1/events",
    "refund": "/v1/refunds",
    "payment_intent": "/v1/payment_intents",
    "checkout.session": "/v1/checkout/sessions",
    "balance_transaction": "/v1/balance_transactions",
    "customer": "/v1/customers",
}


def create_customer(call: Call, params: dict, _id: str) -> dict:
    forms.check_known(params, CUSTOMER)
    body = call.store.add("customer", shapes.customer(params, call.now))
    call.emit("customer.created", body)
    return body


def create_payment_method(call: Call, params: dict, _id: str) -> dict:
    forms.check_known(params, METHOD)
    forms.required(params, "type")
    if params["type"] != "card":
        raise faults.invalid("This stand-in knows cards only.", param="type")
    number = str(forms.table(params, "card").get("number", ""))
    card = cards.BY_NUMBER.get(number)
    if card is None:
        raise faults.ApiError(402, "card_error", "Your card number is incorrect.", code="incorrect_number", param="number")
    return intents.add_method(call, card)


def create_intent(call: Call, params: dict, _id: str) -> dict:
    forms.check_known(params, INTENT)
    forms.required(params, "amount", "currency")
    currency = amounts.currency(params["currency"])
    amount = amounts.amount(params["amount"], currency)
    method = intents.method_of(call, params["payment_method"]) if params.get("payment_method") else None
    named = {**params, "metadata": forms.table(params, "metadata"), "payment_method": method["id"] if method else None}
    intent = intents.make(call, named, amount, currency)
    if params.get("confirm") != "true":
        return intent
    if method is None:
        raise faults.invalid("You cannot confirm this PaymentIntent because it's missing a payment method.", code="payment_intent_unexpected_state")
    return intents.confirm(call, intent, method, params.get("return_url"))


def confirm_intent(call: Call, params: dict, id: str) -> dict:
    forms.check_known(params, CONFIRM)
    intent = call.need("payment_intent", id)
    name = params.get("payment_method") or intent["payment_method"]
    if not name:
        raise faults.invalid("You cannot confirm this PaymentIntent because it's missing a payment method.", code="payment_intent_unexpected_state")
    return intents.confirm(call, intent, intents.method_of(call, name), params.get("return_url"))


def capture_intent(call: Call, params: dict, id: str) -> dict:
    forms.check_known(params, frozenset({"amount_to_capture", "expand"}))
    intent = call.need("payment_intent", id)
    if intent["status"] != "requires_capture":
        raise faults.unexpected_state(intent, "capture")
    amount = amounts.integer(params.get("amount_to_capture") or intent["amount_capturable"], "amount_to_capture")
    if not 0 < amount <= intent["amount_capturable"]:
        raise faults.invalid("The amount to capture must be within what was authorised.", param="amount_to_capture", code="amount_too_large")
    return intents.capture(call, intent, call.need("charge", intent["latest_charge"]), amount)


def cancel_intent(call: Call, params: dict, id: str) -> dict:
    forms.check_known(params, frozenset({"cancellation_reason", "expand"}))
    return intents.cancel(call, call.need("payment_intent", id), params.get("cancellation_reason"))


def create_refund(call: Call, params: dict, _id: str) -> dict:
    forms.check_known(params, REFUND)
    return intents.refund(call, params)


def create_session(call: Call, params: dict, _id: str) -> dict:
    return checkout.open_session(call, params)


def expire_session(call: Call, params: dict, id: str) -> dict:
    forms.check_known(params, frozenset({"expand"}))
    return checkout.expire(call, call.need("checkout.session", id))


def retrieve(kind: str, name: str = ""):
    """The request that reads one object of `kind`."""

    def read(call: Call, params: dict, id: str) -> dict:
        forms.check_known(params, frozenset({"expand"}))
        found = call.need(kind, id, name)
        return checkout.aged(call, found) if kind == "checkout.session" else found

    return read


def listing(kind: str):
    """The request that lists objects of `kind`, newest first, a page at a time."""

    def read(call: Call, params: dict, _id: str) -> dict:
        forms.check_known(params, LISTS)
        limit = amounts.integer(params.get("limit", 10), "limit")
        if not 1 <= limit <= 100:
            raise faults.invalid("Limit must be between 1 and 100.", param="limit")
        found, seen = [], "starting_after" not in params
        for body in call.store.newest_first(kind):
            if seen and _wanted(kind, body, params):
                found.append(body)
            seen = seen or body["id"] == params.get("starting_after")
            if len(found) > limit:
                break
        return {"object": "list", "data": found[:limit], "has_more": len(found) > limit, "url": URLS[kind]}

    return read


def _wanted(kind: str, body: dict, params: dict) -> bool:
    if any(name in params and body.get(name) != params[name] for name in FILTERS.get(kind, ())):
        return False
    if "types" in params and body["type"] not in params["types"]:
        return False
    return _in_span(body["created"], params.get("created"))


def _in_span(created: int, span: object) -> bool:
    if not isinstance(span, dict):
        return span is None or created == amounts.integer(span, "created")
    tests = {"gte": created.__ge__, "gt": created.__gt__, "lte": created.__le__, "lt": created.__lt__}
    return all(tests[name](amounts.integer(bound, "created")) for name, bound in span.items() if name in tests)


def expanded(call: Call, body: dict, wishes: object) -> dict:
    """`body` with the ids named in `expand` replaced by their objects."""
    for path in wishes if isinstance(wishes, list) else []:
        head, _, rest = str(path).partition(".")
        if body.get("object") == "list" and head == "data":
            body = {**body, "data": [expanded(call, item, [rest]) for item in body["data"]]}
        elif isinstance(body.get(head), str):
            found = _by_id(call, body[head])
            body = {**body, head: expanded(call, found, [rest]) if rest else found}
        elif head not in body:
            raise faults.invalid(f"This property cannot be expanded ({path}).", param="expand")
    return body


def _by_id(call: Call, id: str) -> dict:
    kinds = {
        "pi": "payment_intent", "ch": "charge", "re": "refund", "pm": "payment_method", "cus": "customer", "txn": "balance_transaction",
        "cs": "checkout.session",
    }  # fmt: skip
    prefix = id.partition("_")[0]
    return call.need(kinds.get(prefix, prefix), id)
