"""Routes of the hosted pages: pay, the bank's challenge, and the ways back to the shop."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from billing.gateways.simulated import checkout, faults, intents, pages, style, words
from billing.gateways.simulated.calls import Call


def routes() -> list[Route]:
    return [
        Route("/checkout.css", _sheet, methods=["GET"]),
        Route("/c/pay/{id}", _show, methods=["GET"]),
        Route("/c/pay/{id}", _pay, methods=["POST"]),
        Route("/3ds/{id}", _ask, methods=["GET"]),
        Route("/3ds/{id}", _answered, methods=["POST"]),
    ]


async def _sheet(_request: Request) -> Response:
    return Response(style.SHEET, media_type="text/css")


async def _show(request: Request) -> Response:
    call: Call = request.app.state.call()
    with call.store.transaction():
        session = call.store.get("checkout.session", request.path_params["id"])
        return _missing(request) if session is None else _page_of(call, request, checkout.aged(call, session))


def _page_of(call: Call, request: Request, session: dict) -> Response:
    code = _language(request, session)
    say = words.WORDS[code]
    if session["status"] == "complete":
        return _html(pages.message(say["paid"], say["paid_text"], checkout.success_address(session), say["go_on"], code), session)
    if session["status"] == "expired":
        return _html(pages.message(say["expired"], say["expired_text"], session["cancel_url"], say["go_back"], code), session)
    intent = call.store.get("payment_intent", session["payment_intent"]) or {}
    return _html(pages.checkout(session, call.store.private(session["id"])["lines"], intent.get("last_payment_error"), code), session)


async def _pay(request: Request) -> Response:
    call: Call = request.app.state.call()
    form = await _form(request)
    with call.store.transaction():
        session = call.store.get("checkout.session", request.path_params["id"])
        if session is None:
            return _missing(request)
        session = checkout.aged(call, session)
        target = _after_paying(call, session, form.get("card", ""), _language(request, session)) if session["status"] == "open" else _own(request, session)
    request.app.state.outbox.ring()
    return RedirectResponse(target, status_code=303)


def _after_paying(call: Call, session: dict, number: str, code: str) -> str:
    """Where the browser goes after a card was chosen."""
    own = f"/c/pay/{session['id']}?lang={code}"
    try:
        intent = checkout.pay(call, session, number)
    except faults.ApiError:
        return own
    if intent["status"] == "requires_action":
        return f"/3ds/{intent['id']}?lang={code}"
    return checkout.success_address(session)


async def _ask(request: Request) -> Response:
    call: Call = request.app.state.call()
    intent = call.store.get("payment_intent", request.path_params["id"])
    if intent is None:
        return _missing(request)
    session = _session_of(call, intent)
    if intent["status"] != "requires_action":
        return RedirectResponse(_back(intent, session, ""), status_code=303)
    return _html(pages.challenge(intent, _language(request, session)), session or {})


async def _answered(request: Request) -> Response:
    call: Call = request.app.state.call()
    form = await _form(request)
    with call.store.transaction():
        intent = call.store.get("payment_intent", request.path_params["id"])
        if intent is None:
            return _missing(request)
        session = _session_of(call, intent)
        return_url = ((intent["next_action"] or {}).get("redirect_to_url") or {}).get("return_url") or ""
        try:
            intents.answer_challenge(call, intent, passed=form.get("answer") == "authenticate")
        except faults.ApiError as error:
            if not error.lasting:
                return RedirectResponse(_back(intent, session, return_url), status_code=303)
        if session:
            checkout.finish(call, session, intent)
    request.app.state.outbox.ring()
    return RedirectResponse(_back(intent, session, return_url), status_code=303)


def _session_of(call: Call, intent: dict) -> dict | None:
    return next((session for session in call.store.newest_first("checkout.session") if session["payment_intent"] == intent["id"]), None)


def _back(intent: dict, session: dict | None, return_url: str) -> str:
    if session is not None:
        return checkout.success_address(session) if session["status"] == "complete" else f"/c/pay/{session['id']}"
    if not return_url:
        return "/"
    status = "succeeded" if intent["status"] in ("succeeded", "requires_capture", "processing") else "failed"
    joiner = "&" if urlsplit(return_url).query else "?"
    return f"{return_url}{joiner}payment_intent={intent['id']}&redirect_status={status}"


def _own(request: Request, session: dict) -> str:
    return f"/c/pay/{session['id']}?lang={_language(request, session)}"


def _language(request: Request, session: dict | None) -> str:
    return words.language(request.query_params.get("lang"), (session or {}).get("locale"), request.headers.get("accept-language", ""))


def _missing(request: Request) -> Response:
    code = _language(request, None)
    return _html(pages.message(words.WORDS[code]["missing"], words.WORDS[code]["missing_text"], None, "", code), {}, status=404)


def _html(page: str, session: dict, status: int = 200) -> Response:
    """The page with a policy that lets its form lead on to the shop's own addresses and nowhere else."""
    shops = {"{0.scheme}://{0.netloc}".format(urlsplit(session[name])) for name in ("success_url", "cancel_url") if session.get(name)}
    policy = f"default-src 'none'; style-src 'self'; form-action 'self' {' '.join(sorted(shops))}; frame-ancestors 'none'; base-uri 'none'"
    return HTMLResponse(page, status, {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"})


async def _form(request: Request) -> dict:
    return dict(parse_qsl((await request.body()).decode()))
