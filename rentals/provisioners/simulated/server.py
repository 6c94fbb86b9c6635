"""The simulated engine as a process: `python -m rentals.provisioners.simulated.server`.

HTTP on loopback (PORTAL_ENGINE_PORT), state in PORTAL_VAR/engine/state.sqlite3, durations divided by PORTAL_ENGINE_SPEED, faults from PORTAL_ENGINE_FAULTS
(a JSON list or a file with one) and from /control.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from portal.env import Reader
from rentals.provisioners.simulated.rack import VERBS, Rack
from rentals.provisioners.simulated.store import Store

READS = frozenset({"observe", "wipe_evidence"})


class Dropped(Response):
    """A connection that ends in the middle of its answer."""

    async def __call__(self, scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4096"), (b"connection", b"close")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


class Front:
    """The routes over one rack. Each request is one transaction, committed before its answer leaves."""

    def __init__(self, rack: Rack) -> None:
        self.rack = rack
        self.store = rack.store

    async def verb(self, request: Request) -> Response:
        serial, name = request.path_params["serial"], request.path_params["verb"]
        if name not in VERBS:
            return JSONResponse({"error": "no such verb"}, status_code=404)
        body = json.loads(await request.body())
        with self.store.transaction():
            trouble = _trouble(self.rack, name, serial)
        if trouble is not None:
            return await _answer_trouble(trouble)
        with self.store.transaction():
            status, answer = getattr(self.rack, name)(serial, body) if name in READS else self.rack.do(name, serial, body)
            lost = self.rack.faults.strike("reply_lost", verb=name, serial=serial)
        return Dropped() if lost else JSONResponse(answer, status_code=status)

    async def inventory(self, request: Request) -> Response:
        with self.store.transaction():
            status, answer = self.rack.inventory(request.query_params.get("cursor", ""))
        return JSONResponse(answer, status_code=status)

    async def capabilities(self, request: Request) -> Response:
        return JSONResponse({"name": "simulated", "verbs": sorted(VERBS)})

    async def add_fault(self, request: Request) -> Response:
        try:
            with self.store.transaction():
                return JSONResponse({"id": self.rack.faults.add(await request.json())}, status_code=201)
        except ValueError as error:
            return PlainTextResponse(str(error), status_code=400)

    async def clear_faults(self, request: Request) -> Response:
        with self.store.transaction():
            self.rack.faults.clear()
        return Response(status_code=204)

    async def alter(self, request: Request) -> Response:
        """Change a machine by hand: take a card out, cut its power, let it vanish, forget a claim."""
        wish = await request.json()
        serial = request.path_params["serial"]
        with self.store.transaction():
            self.rack.settle()
            for name in wish.pop("forget", []):
                self.store.drop("claim", name)
            self.store.put("machine", serial, {**self.rack.enrol(serial, {}), **wish})
        return Response(status_code=204)


def build(rack: Rack) -> Starlette:
    front = Front(rack)
    return Starlette(
        routes=[
            Route("/healthz", lambda request: PlainTextResponse("ok")),
            Route("/v1/capabilities", front.capabilities),
            Route("/v1/claims", front.inventory),
            Route("/v1/machines/{serial}/{verb}", front.verb, methods=["POST"]),
            Route("/control/faults", front.add_fault, methods=["POST"]),
            Route("/control/faults", front.clear_faults, methods=["DELETE"]),
            Route("/control/machines/{serial}", front.alter, methods=["POST"]),
        ]
    )


def _trouble(rack: Rack, verb: str, serial: str) -> dict | None:
    """The fault that meets this request before anything is done."""
    for kind in ("unauthorized", "request_lost", "hang", "busy", "error_html", "garbage"):
        rule = rack.faults.strike(kind, verb=verb, serial=serial)
        if rule is not None:
            return rule
    return None


async def _answer_trouble(rule: dict) -> Response:
    kind = rule["kind"]
    if kind == "hang":
        await asyncio.sleep(rule.get("seconds", 30))
    if kind in ("hang", "request_lost"):
        return Dropped()
    if kind == "busy":
        return JSONResponse({"answer": "busy", "retry_after": rule.get("retry_after", 1.0)}, status_code=409)
    if kind == "error_html":
        return HTMLResponse("<html><body><h1>500 Internal Server Error</h1></body></html>", status_code=500)
    if kind == "garbage":
        return PlainTextResponse("<!-- not what you expected -->")
    return PlainTextResponse("token expired", status_code=401)


def main() -> None:
    env = Reader()
    port = env.number("PORTAL_ENGINE_PORT", 8090, least=1)
    folder = Path(env.text("PORTAL_VAR", str(Path(__file__).resolve().parents[3] / "var"))) / "engine"
    store = Store(folder / "state.sqlite3")
    rack = Rack(store, speed=env.number("PORTAL_ENGINE_SPEED", 1, least=1), seed=env.number("PORTAL_ENGINE_SEED", 1), clock=time.time)
    scenario = env.text("PORTAL_ENGINE_FAULTS")
    with store.transaction():
        rack.recover()
        if scenario:
            rack.faults.load(scenario)
    uvicorn.run(build(rack), host="127.0.0.1", port=port, log_level="warning", lifespan="off", access_log=False)


if __name__ == "__main__":
    main()
