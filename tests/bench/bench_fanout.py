"""CPU of the web process for one message to one viewer through the hub, beside a bare socket that is sent the same text."""

from __future__ import annotations

import asyncio
import json

import redis
import websockets
from django.conf import settings

from portal.live import valkey
from tests.bench import serving
from tests.bench.figure import Figure

VIEWERS, MESSAGES, EVERY = 100, 60, 0.1
TEXT = json.dumps(
    ["bench-0", 0, 0, "simulated", [["GPU-00000000-0000-4000-8000-000000000000", "ok", 97, 50, 70012, 600, 81920, 310.2, 400, 55, 1410, 0, 0, []]] * 8]
)


def measure() -> Figure:
    with serving.site() as (port, process):
        ours = asyncio.run(_cost(port, process, "/hub/bench-0/"))
        control = asyncio.run(_cost(port, process, "/raw/"))
    return Figure(ours=ours, control=control, unit="us CPU/message", told=f"{VIEWERS} viewers of one server through the hub against bare sockets")


async def _cost(port: int, process: int, path: str) -> float:
    viewers = await asyncio.gather(*(websockets.connect(f"ws://127.0.0.1:{port}{path}", compression=None) for _ in range(VIEWERS)))
    received = 0

    async def read(viewer) -> None:
        nonlocal received
        async for _ in viewer:
            received += 1

    readers = [asyncio.create_task(read(viewer)) for viewer in viewers]
    await asyncio.sleep(1.5)
    client, before = redis.Redis.from_url(settings.LIVE_REDIS_URL), serving.cpu(process)
    for _ in range(MESSAGES):
        client.publish(valkey.channel(group="server-bench-0"), TEXT)
        await asyncio.sleep(EVERY)
    await asyncio.sleep(0.5)
    used = serving.cpu(process) - before
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*(viewer.close() for viewer in viewers))
    return used / max(received, 1) * 1e6
