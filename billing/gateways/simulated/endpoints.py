"""HTTP for the resources: key, parameters, idempotency, one transaction for effect and answer, and only then the answer itself."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from billing.gateways.simulated import faults, forms, resources, shapes
from billing.gateways.simulated.calls import Call

Act = Callable[[Call, dict, str], dict]
READS: dict[str, Act] = {
    "/v1/customers": resources.listing("customer"),
    "/v1/customers/{id}": resources.retrieve("customer"),
    "/v1/payment_methods/{id}": resources.retrieve("payment_method", "PaymentMethod"),
    "/v1/payment_intents": resources.listing("payment_intent"),
    "/v1/payment_intents/{id}": resources.retrieve("payment_intent"),
    "/v1/charges/{id}": resources.retrieve("charge"),
    "/v1/refunds": resources.listing("refund"),
    "/v1/refunds/{id}": resources.retrieve("refund"),
    "/v1/events": resources.listing("event"),
    "/v1/events/{id}": resources.retrieve("event"),
    "/v1/balance_transactions": resources.listing("balance_transaction"),
    "/v1/balance_transactions/{id}": resources.retrieve("balance_transaction"),
    "/v1/checkout/sessions": resources.listing("checkout.session"),
    "/v1/checkout/sessions/{id}": resources.retrieve("checkout.session"),
}
WRITES: dict[str, Act] = {
    "/v1/customers": resources.create_customer,
    "/v1/payment_methods": resources.create_payment_method,
    "/v1/payment_intents": resources.create_intent,
    "/v1/payment_intents/{id}/confirm": resources.confirm_intent,
    "/v1/payment_intents/{id}/capture": resources.capture_intent,
    "/v1/payment_intents/{id}/cancel": resources.cancel_intent,
    "/v1/refunds": resources.create_refund,
    "/v1/checkout/sessions": resources.create_session,
    "/v1/checkout/sessions/{id}/expire": resources.expire_session,
}


def routes() -> list[Route]:
    found = [Route("/v1/webhook_endpoints", _endpoints, methods=["GET"])]
    found += [Route(path, _reader(act), methods=["GET"]) for path, act in READS.items()]
    found += [Route(path, _writer(act), methods=["POST"]) for path, act in WRITES.items()]
    return found


def answer(status: int, body: dict, request_id: str, **headers: str) -> Response:
    return Response(json.dumps(body), status, {"Request-Id": request_id, "Stripe-Version": shapes.API_VERSION, **headers}, "application/json")


def refusal(call: Call, error: faults.ApiError) -> Response:
    return answer(error.status, error.body, call.request_id)


async def _endpoints(request: Request) -> Response:
    call = request.app.state.call()
    try:
        _check_key(request)
    except faults.ApiError as error:
        return refusal(call, error)
    endpoints = request.app.state.endpoints
    return answer(200, {"object": "list", "data": endpoints, "has_more": False, "url": "/v1/webhook_endpoints"}, call.request_id)


def _reader(act: Act) -> Callable:
    async def read(request: Request) -> Response:
        call: Call = request.app.state.call()
        try:
            _check_key(request)
            params = forms.parse(request.url.query)
            with call.store.transaction():
                body = act(call, params, request.path_params.get("id", ""))
                return answer(200, resources.expanded(call, body, params.get("expand")), call.request_id)
        except faults.ApiError as error:
            return refusal(call, error)

    return read


def _writer(act: Act) -> Callable:
    async def write(request: Request) -> Response:
        call: Call = request.app.state.call()
        raw = (await request.body()).decode()
        try:
            _check_key(request)
            _check_available(call, request.url.path)
            call.idempotency_key = request.headers.get("idempotency-key")
            with call.store.transaction():
                response, waits = _answer_once(call, act, request, forms.parse(raw))
        except faults.ApiError as error:
            return refusal(call, error)
        request.app.state.outbox.ring()
        await asyncio.sleep(waits)
        return response

    return write


def _answer_once(call: Call, act: Act, request: Request, params: dict) -> tuple[Response, int]:
    """The first answer to this key, or a repeat of it; and the seconds for which it is to be held back, as the control interface wished."""
    path, spelt = request.url.path, json.dumps(params, sort_keys=True)
    repeated = _earlier(call, path, spelt)
    if repeated:
        return repeated, 0
    status, body = _carried_out(call, act, request.path_params.get("id", ""), params)
    if call.store.take_wish("broken", path):
        status, body = 500, {"error": {"type": "api_error", "message": "An unknown error occurred."}}
    if call.idempotency_key:
        row = (call.idempotency_key, path, spelt, status, json.dumps(body), call.request_id, call.now)
        call.store.db.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    hang = call.store.take_wish("hang", path)
    return answer(status, body, call.request_id), hang["seconds"] if hang else 0


def _check_available(call: Call, path: str) -> None:
    with call.store.transaction():
        wished = call.store.take_wish("unavailable", path)
    if wished:
        raise faults.ApiError(503, "api_error", "The service is not available at the moment.")


def _earlier(call: Call, path: str, spelt: str) -> Response | None:
    row = call.store.db.execute("SELECT * FROM answers WHERE key = ?", (call.idempotency_key,)).fetchone()
    if row is None:
        return None
    if (row["path"], row["params"]) != (path, spelt):
        words = "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than "
        raise faults.ApiError(400, "idempotency_error", f"{words}'{call.idempotency_key}' if you meant to execute a different request.")
    return answer(row["status"], json.loads(row["body"]), call.request_id, **{"Idempotent-Replayed": "true", "Original-Request": row["request_id"]})


def _carried_out(call: Call, act: Act, id: str, params: dict) -> tuple[int, dict]:
    """The answer of `act`. A refused card is an answer too: what it did to the intent stays, and a repeat of the key hears the same."""
    try:
        return 200, resources.expanded(call, act(call, params, id), params.get("expand"))
    except faults.ApiError as error:
        if not error.lasting:
            raise
        return error.status, error.body


def _check_key(request: Request) -> None:
    """The secret key, as a bearer token or as the user of basic authentication."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        given = base64.b64decode(given + "==").decode(errors="replace").partition(":")[0]
    wanted = request.app.state.secret_key
    if not given or (wanted and given != wanted):
        raise faults.ApiError(401, "invalid_request_error", "Invalid API Key provided." if given else "You did not provide an API key.")
