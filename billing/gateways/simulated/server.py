"""The stand-in's own process: `python -m billing.gateways.simulated.server`. Listens on loopback only.

From the environment: PORTAL_STRIPE_PORT, PORTAL_VAR (its file is stripe.sqlite3 there), STRIPE_SECRET_KEY (any key is taken when it is not set),
STRIPE_WEBHOOK_URL and STRIPE_WEBHOOK_SECRETS (whom to tell of events; every secret signs).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from billing.gateways.simulated import control, endpoints, hosted, shapes
from billing.gateways.simulated.calls import Call
from billing.gateways.simulated.outbox import Outbox
from billing.gateways.simulated.store import Store

PORT = 8091


async def _health(_request: Request) -> JSONResponse:
    return JSONResponse({"service": "stripe stand-in", "api_version": shapes.API_VERSION})


async def _unknown(request: Request, _error: Exception) -> JSONResponse:
    message = f"Unrecognized request URL ({request.method}: {request.url.path}). This stand-in has only what the portal uses."
    return JSONResponse({"error": {"type": "invalid_request_error", "message": message}}, 404)


def build(*, path: Path, port: int, secret_key: str = "", webhook_url: str = "", webhook_secrets: list[str] | None = None) -> Starlette:
    """The application with its memory in `path`."""
    store = Store(path)
    outbox = Outbox(store, webhook_url, webhook_secrets or [])

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        delivering = asyncio.create_task(outbox.run())
        yield
        delivering.cancel()
        with suppress(asyncio.CancelledError):
            await delivering

    app = Starlette(
        routes=[Route("/healthz", _health), *endpoints.routes(), *control.routes(), *hosted.routes()],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])],
        exception_handlers={404: _unknown},
        lifespan=lifespan,
    )
    app.state.call = partial(Call, store, f"http://127.0.0.1:{port}", bool(webhook_url))
    app.state.outbox, app.state.secret_key = outbox, secret_key
    app.state.endpoints = [shapes.webhook_endpoint(webhook_url)] if webhook_url else []
    return app


def main() -> None:
    port = int(os.environ.get("PORTAL_STRIPE_PORT", PORT))
    secrets = [secret.strip() for secret in os.environ.get("STRIPE_WEBHOOK_SECRETS", "").split(",") if secret.strip()]
    url = os.environ.get("STRIPE_WEBHOOK_URL", "")
    if url and not secrets:
        raise SystemExit("STRIPE_WEBHOOK_SECRETS must be set when STRIPE_WEBHOOK_URL is")
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    app = build(
        path=Path(os.environ.get("PORTAL_VAR", "var")) / "stripe.sqlite3",
        port=port,
        secret_key=os.environ.get("STRIPE_SECRET_KEY", ""),
        webhook_url=url,
        webhook_secrets=secrets,
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False, timeout_graceful_shutdown=3)


if __name__ == "__main__":
    main()
