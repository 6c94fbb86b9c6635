"""Sockets on the hub: who is refused, with which code, and that nothing stays behind."""

from __future__ import annotations

import asyncio

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from portal.kernel.errors import NotFound
from portal.live import hub, push, sockets, valkey
from tests.live import talk


class Someone:
    is_authenticated = True


class Hints(sockets.Stream):
    async def admit(self) -> list[sockets.Feed]:
        if self.scope["path"] == "/secret":
            raise NotFound
        return [sockets.Feed("socket-test", each=True)]

    async def opening(self) -> list[str]:
        return ["snapshot"]


class EndsSoon(Hints):
    async def watch(self) -> None:
        await asyncio.sleep(0.05)
        await self.close(sockets.OVER)


class Breaks(Hints):
    async def watch(self) -> None:
        raise ValueError("unexpected")


async def opened(consumer: type[sockets.Stream], *, path: str = "/", user: object = None) -> talk.Socket:
    return await talk.Socket(consumer, path=path, user=user or Someone()).open()


async def test_the_snapshot_comes_before_the_stream():
    socket = await opened(Hints)

    assert await socket.text() == "snapshot"
    valkey.blocking().publish(valkey.channel(group="socket-test"), "one")
    assert await socket.text() == "one"
    await socket.leave()
    assert hub.here().groups == {}


async def test_anonymous_hears_that_he_is_not_logged_in():
    socket = await opened(Hints, user=AnonymousUser())

    assert await socket.code() == sockets.NOT_LOGGED_IN


async def test_a_refusal_closes_with_its_status():
    socket = await opened(Hints, path="/secret")

    assert await socket.code() == 4404
    assert hub.here().groups == {}


async def test_a_watch_ends_the_socket_with_its_code():
    socket = await opened(EndsSoon)

    assert await socket.code() == sockets.OVER
    await socket.leave()
    assert hub.here().groups == {}


async def test_a_watch_that_breaks_closes_the_socket_instead_of_letting_it_run_unwatched():
    socket = await opened(Breaks)

    assert await socket.code() == 1011
    await socket.leave()


async def test_a_cancelled_socket_leaves_the_hub_without_a_goodbye():
    socket = await opened(Hints)
    await socket.text()
    assert hub.here().groups == {"socket-test": 1}

    socket.stop()
    await asyncio.sleep(0.2)

    assert hub.here().groups == {}


async def test_a_silent_socket_is_pinged(monkeypatch):
    monkeypatch.setattr(sockets, "QUIET", 0.05)
    socket = await opened(Hints)
    await socket.text()

    assert await socket.text() == sockets.PING
    await socket.leave()


async def test_a_peer_that_takes_nothing_is_closed_as_too_slow(monkeypatch):
    monkeypatch.setattr(sockets, "QUIET", 0.02)
    monkeypatch.setattr(sockets, "SEND_WITHIN", 0.1)
    sent = []
    stuck = asyncio.Event()

    async def send(message: dict) -> None:
        sent.append(message)
        if message.get("text") == sockets.PING:
            await stuck.wait()

    inbox: asyncio.Queue = asyncio.Queue()
    inbox.put_nowait({"type": "websocket.connect"})
    running = asyncio.create_task(Hints.as_asgi()({"type": "websocket", "path": "/", "user": Someone()}, inbox.get, send))
    await asyncio.sleep(0.5)

    assert sent[-1] == {"type": "websocket.close", "code": sockets.TOO_SLOW}
    inbox.put_nowait({"type": "websocket.disconnect", "code": sockets.TOO_SLOW})
    await running
    assert hub.here().groups == {}


@pytest.mark.django_db(transaction=True)
def test_a_hint_is_published_only_once_the_transaction_has_committed():
    heard = valkey.blocking().pubsub(ignore_subscribe_messages=True)
    heard.subscribe(valkey.channel(group="booking-B-1"))
    heard.get_message(timeout=1)

    with transaction.atomic():
        push.hint("booking-B-1", "state")
        assert heard.get_message(timeout=0.2) is None

    assert heard.get_message(timeout=2)["data"] == b'{"hint": "state"}'
    heard.close()


def test_a_hint_without_valkey_costs_nothing(own_valkey, caplog, db):
    own_valkey.stop()

    push._publish("booking-B-1", "state")

    assert "could not hint" in caplog.text
