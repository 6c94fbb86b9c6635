"""Median milliseconds from a reading on a node to a viewer's socket: 64 GPUs on 8 servers at 1 Hz through agent, ingest, Valkey, hub and websocket; as control
the same text from publisher to subscriber of Valkey."""

from __future__ import annotations

import asyncio
import json
import statistics
import threading
import time

import redis
import websockets
from django.conf import settings

from monitoring.agent.delivery import Courier, Portal, Waiting
from monitoring.agent.loop import Agent, keep_ticking
from monitoring.agent.simulated import Board, Simulated
from tests.bench import serving
from tests.bench.figure import Figure

SERVERS, SECONDS = 8, 12.0


def measure() -> Figure:
    with serving.site() as (port, _):
        stop = threading.Event()
        for number in range(SERVERS):
            _start(port, number, stop)
        delays = asyncio.run(_watch(port))
        stop.set()
    return Figure(ours=statistics.median(delays) * 1000, control=_publish() * 1000, unit="ms", told=f"reading to viewer, 64 GPUs, {len(delays)} messages")


def _start(port: int, number: int, stop: threading.Event) -> None:
    server = f"bench-{number}"
    waiting = Waiting()
    boards = [Board(f"GPU-{number:04d}{i:04d}-0000-4000-8000-000000000000", "A100", 81920, 400) for i in range(8)]
    agent = Agent(server=server, source=Simulated(seed=server, boards=boards), waiting=waiting)
    Courier(portal=Portal(url=f"http://127.0.0.1:{port}", token=server), waiting=waiting).start()
    threading.Timer(number / SERVERS, lambda: keep_ticking(tick=agent.tick, stop=stop)).start()


async def _watch(port: int) -> list[float]:
    delays: list[float] = []
    path = ",".join(f"bench-{number}" for number in range(SERVERS))
    async with websockets.connect(f"ws://127.0.0.1:{port}/hub/{path}/", compression=None) as viewer:
        await asyncio.sleep(2)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            message = json.loads(await asyncio.wait_for(viewer.recv(), 10))
            if isinstance(message, list):
                delays.append(time.time() - message[1])
    return delays[SERVERS * 3 :]  # what waited while the sockets were opened is not the steady state


def _publish() -> float:
    client = redis.Redis.from_url(settings.LIVE_REDIS_URL)
    listener = client.pubsub(ignore_subscribe_messages=True)
    listener.subscribe("bench")
    listener.get_message(timeout=1)
    delays = []
    for _ in range(200):
        begun = time.perf_counter()
        client.publish("bench", "x" * 700)
        while listener.get_message(timeout=1) is None:
            pass
        delays.append(time.perf_counter() - begun)
    return statistics.median(delays)
