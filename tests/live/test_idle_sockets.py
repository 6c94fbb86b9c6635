"""Case H1: an idle websocket stays open. redis-py 8 waits 5 s for an answer by default, as long as the channel layer's blocking pop, and a websocket on it
died after 5.7 s."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import time

import pytest
import uvicorn
from channels.layers import get_channel_layer
from channels_redis.core import RedisChannelLayer
from channels_redis.utils import create_pool
from django.conf import settings
from django.utils import timezone
from websockets.sync.client import connect

from portal import asgi
from portal.live import sockets, valkey
from tests.monitoring import rows

SILENCE = 62.0 if os.environ.get("PORTAL_LONG") else 12.0  # twelve seconds are twice what killed it; PORTAL_LONG=1 waits out a whole minute


@pytest.fixture
def served(transactional_db, own_valkey):
    """The portal on a real server with its real settings, in a thread of this process: host and port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(asgi.application, lifespan="off", log_level="warning", timeout_graceful_shutdown=2, ws_per_message_deflate=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


def heard_until(page, end: float) -> set[str]:
    """What came until `end`; raises when the socket closes."""
    heard = set()
    while (left := end - time.monotonic()) > 0:
        with contextlib.suppress(TimeoutError):
            heard.add(page.recv(timeout=left))
    return heard


def test_h1_a_live_socket_survives_twelve_silent_seconds_and_then_hears(served, cast, racks, client):
    now = timezone.now()
    booking = rows.running(cast, racks, now, "srv-t1")
    client.force_login(cast.ada)
    headers = {"Cookie": f"sessionid={client.cookies['sessionid'].value}", "Origin": f"http://{served}"}

    with connect(f"ws://{served}/ws/live/{booking.number}/", additional_headers=headers, ping_interval=None) as page:
        assert heard_until(page, time.monotonic() + SILENCE) <= {sockets.PING}

        assert valkey.blocking().publish(valkey.channel(group="server-srv-t1"), '["srv-t1"]') == 1
        assert page.recv(timeout=3) == '["srv-t1"]'


async def test_h1_the_channel_layer_survives_twelve_silent_seconds_too():
    layer = get_channel_layer()
    assert isinstance(layer, RedisChannelLayer)
    channel = await layer.new_channel()
    await layer.group_add("h1-idle", channel)
    waiting = asyncio.create_task(layer.receive(channel))

    await asyncio.sleep(SILENCE)
    assert not waiting.done()

    await layer.group_send("h1-idle", {"type": "wake"})
    assert await asyncio.wait_for(waiting, 3) == {"type": "wake"}
    await layer.group_discard("h1-idle", channel)
    await layer.flush()


def test_h1_no_waiting_connection_has_a_time_out():
    (host,) = get_channel_layer().hosts

    assert create_pool(host).connection_kwargs["socket_timeout"] is None
    assert valkey.subscriber(url=settings.LIVE_REDIS_URL).connection_pool.connection_kwargs["socket_timeout"] is None


def test_a_connection_for_commands_gives_up_soon():
    assert 0 < valkey.blocking().connection_pool.connection_kwargs["socket_timeout"] <= 2
