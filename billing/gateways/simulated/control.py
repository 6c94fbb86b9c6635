"""The control interface: how a test or a demonstration makes the stand-in misbehave. JSON only, so that no foreign page can reach it with a form."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from billing.gateways.simulated import amounts, checkout, faults, intents
from billing.gateways.simulated.calls import Call

WISHES = {
    "deliver_twice": "the next event is delivered twice",
    "deliver_late": "the next event is delivered after `seconds`",
    "hold": "the next event waits for /_control/release",
    "drop": "the next event is never delivered",
    "bad_signature": "the first delivery of the next event is signed with a wrong secret",
    "decline": "the next card is declined, whatever it is",
    "process": "the next payment stays processing until it is settled",
    "pend_refund": "the next refund stays pending until it is settled",
    "fail_refund": "the next refund is pending first and then fails",
    "hang": "the next request takes effect, and its answer comes `seconds` later",
    "unavailable": "the next request answers 503 and has no effect",
    "broken": "the next request takes effect and answers 500, now and to every repeat of its key",
}


def routes() -> list[Route]:
    return [
        Route("/_control/state", _state, methods=["GET"]),
        Route("/_control/next", _route(_wish), methods=["POST"]),
        Route("/_control/release", _route(_release), methods=["POST"]),
        Route("/_control/clock", _route(_clock), methods=["POST"]),
        Route("/_control/events/{id}/deliver", _route(_deliver), methods=["POST"]),
        Route("/_control/payment_intents/{id}", _route(_settle_intent), methods=["POST"]),
        Route("/_control/refunds/{id}", _route(_settle_refund), methods=["POST"]),
        Route("/_control/sessions/{id}/pay", _route(_pay), methods=["POST"]),
    ]


def _route(act: Callable[[Call, dict, str], dict]) -> Callable:
    async def handle(request: Request) -> JSONResponse:
        call: Call = request.app.state.call()
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return JSONResponse({"error": "send JSON"}, 415)
        wanted = await request.json()
        try:
            with call.store.transaction():
                body = act(call, wanted, request.path_params.get("id", ""))
        except faults.ApiError as error:
            return JSONResponse(error.body, error.status)
        request.app.state.outbox.ring()
        return JSONResponse(body)

    return handle


async def _state(request: Request) -> JSONResponse:
    store = request.app.state.call().store
    count = "SELECT kind, count(*) AS number FROM objects GROUP BY kind"
    deliveries = "SELECT seq, event, state, attempts, last_answer FROM deliveries ORDER BY seq"
    return JSONResponse(
        {
            "objects": {row["kind"]: row["number"] for row in store.db.execute(count)},
            "deliveries": [dict(row) for row in store.db.execute(deliveries)],
            "wishes": [dict(row) for row in store.db.execute("SELECT * FROM wishes WHERE times > 0 ORDER BY seq")],
            "now": store.now(),
        }
    )


def _wish(call: Call, wanted: dict, _id: str) -> dict:
    """{"what": one of WISHES, "only": an event type or path that it must begin with, "times": 1, "seconds": 0}"""
    if wanted.get("what") not in WISHES:
        raise faults.invalid(f"what must be one of {', '.join(WISHES)}", param="what")
    values = (wanted["what"], wanted.get("only", ""), amounts.integer(wanted.get("times", 1), "times"), amounts.integer(wanted.get("seconds", 0), "seconds"))
    call.store.db.execute("INSERT INTO wishes (what, only, times, seconds) VALUES (?, ?, ?, ?)", values)
    return {"what": wanted["what"], "means": WISHES[wanted["what"]]}


def _release(call: Call, wanted: dict, _id: str) -> dict:
    """Let held events go, {"order": "forward" or "reverse"}."""
    order = "DESC" if wanted.get("order") == "reverse" else "ASC"
    held = call.store.db.execute(f"SELECT seq, event FROM deliveries WHERE state = 'held' ORDER BY seq {order}").fetchall()  # noqa: S608 - one of two words
    start = call.now - len(held)
    for position, row in enumerate(held):
        call.store.db.execute("UPDATE deliveries SET state = 'waiting', due_at = ?, first_due_at = ? WHERE seq = ?", (start + position, call.now, row["seq"]))
    return {"released": [row["event"] for row in held]}


def _clock(call: Call, wanted: dict, _id: str) -> dict:
    """Move the stand-in's clock on by {"advance": seconds}."""
    offset = int(call.store.fact("clock_offset", "0")) + amounts.integer(wanted.get("advance", 0), "advance")
    call.store.note("clock_offset", str(offset))
    return {"now": call.now}


def _deliver(call: Call, _wanted: dict, id: str) -> dict:
    """Deliver an event again, or one that had been dropped."""
    event = call.need("event", id)
    call.store.db.execute("INSERT INTO deliveries (event, state, due_at, first_due_at) VALUES (?, 'waiting', ?, ?)", (event["id"], call.now, call.now))
    return event


def _settle_intent(call: Call, wanted: dict, id: str) -> dict:
    """End the waiting of a payment that is processing, {"status": "succeeded" or "failed"}."""
    intent = call.need("payment_intent", id)
    try:
        intents.settle(call, intent, succeeded=wanted.get("status") == "succeeded")
    except faults.ApiError as error:
        if not error.lasting:
            raise
    checkout.settled_later(call, intent)
    return intent


def _settle_refund(call: Call, wanted: dict, id: str) -> dict:
    """The bank's last word on a refund, {"status": "succeeded" or "failed"}."""
    if wanted.get("status") not in ("succeeded", "failed"):
        raise faults.invalid("status must be succeeded or failed", param="status")
    return intents.settle_refund(call, call.need("refund", id), status=wanted["status"])


def _pay(call: Call, wanted: dict, id: str) -> dict:
    """Pay an open session with a test card, {"card": number}, as the hosted page would."""
    session = checkout.aged(call, call.need("checkout.session", id))
    if session["status"] != "open":
        raise faults.invalid(f"This session is {session['status']}.")
    try:
        return checkout.pay(call, session, str(wanted.get("card", "")))
    except faults.ApiError as error:
        if not error.lasting:
            raise
        return error.body
