"""What the telemetry benchmarks serve: our ingest route and our hub, and beside each the plainest ASGI that does the same. No log-in, no database."""

from __future__ import annotations

import asyncio
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

import django  # noqa: E402

django.setup()

from monitoring.consumers import ingest  # noqa: E402
from monitoring.queries import agents  # noqa: E402
from monitoring.services import agents as tokens  # noqa: E402
from monitoring.services import ingest as service  # noqa: E402
from portal.live import sockets, valkey  # noqa: E402

SERVERS = [f"bench-{number}" for number in range(64)]
agents.active = lambda: {tokens.token_hash(token=server): server for server in SERVERS}  # the token is the server's name
service.A_SECOND = service.BURST = 1e9

raw_sockets: set = set()


class Hub(sockets.Stream):
    async def admit(self) -> list[sockets.Feed]:
        return [sockets.Feed(f"server-{server}") for server in self.scope["path"].strip("/").split("/")[1].split(",")]


class Anyone:
    is_authenticated = True


async def echo(receive, send) -> None:
    """The limit of HTTP itself: read the body, say 202."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 202, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})


async def pump() -> None:
    listening = valkey.subscriber(url=django.conf.settings.LIVE_REDIS_URL).pubsub(ignore_subscribe_messages=True)
    await listening.subscribe(valkey.channel(group=f"server-{SERVERS[0]}"))
    async for message in listening.listen():
        text = message["data"].decode()
        for send in list(raw_sockets):
            await send({"type": "websocket.send", "text": text})


async def raw(receive, send) -> None:
    """The limit of a socket itself: one subscription, the same text to everyone."""
    if not raw_sockets:
        raw.task = asyncio.create_task(pump())
    await receive()
    await send({"type": "websocket.accept"})
    raw_sockets.add(send)
    while (await receive())["type"] != "websocket.disconnect":
        pass
    raw_sockets.discard(send)


async def application(scope, receive, send) -> None:
    if scope["type"] == "websocket":
        if scope["path"].startswith("/raw/"):
            await raw(receive, send)
        else:
            await Hub.as_asgi()({**scope, "user": Anyone()}, receive, send)
    elif scope["path"] == "/echo":
        await echo(receive, send)
    elif scope["path"] == ingest.PATH:
        await ingest.application(scope, receive, send)
    else:
        raise ValueError(scope["path"])
