"""The hub: one subscription per group, the newest wins, nothing is left behind."""

from __future__ import annotations

import asyncio
import json

import pytest
import redis
from django.conf import settings

from portal.live import hub, valkey


@pytest.fixture
async def live():
    """A hub of this test's event loop."""
    made = hub.Hub(url=settings.LIVE_REDIS_URL)
    slots = []
    made.slot = lambda: slots.append(hub.Slot()) or slots[-1]
    yield made
    for slot in slots:
        await made.leave(slot=slot)


def publish(group: str, text: str, port: int | None = None) -> int:
    client = redis.Redis(port=port) if port else valkey.blocking()
    return client.publish(valkey.channel(group=group), text)


def subscribers(group: str) -> int:
    return dict(valkey.blocking().pubsub_numsub(valkey.channel(group=group)))[valkey.channel(group=group).encode()]


async def test_two_sockets_of_one_group_share_one_subscription(live):
    first, second = live.slot(), live.slot()
    await live.join(group="hub-a", slot=first)
    await live.join(group="hub-a", slot=second)

    assert publish("hub-a", "hello") == 1
    assert await first.take(within=2) == ["hello"]
    assert await second.take(within=2) == ["hello"]


async def test_a_message_reaches_its_own_group_only(live):
    here, there = live.slot(), live.slot()
    await live.join(group="hub-a", slot=here)
    await live.join(group="hub-b", slot=there)

    publish("hub-b", "for b")

    assert await there.take(within=2) == ["for b"]
    assert await here.take(within=0.1) == []


async def test_a_socket_that_does_not_read_gets_the_newest_of_each_group(live):
    slot = live.slot()
    await live.join(group="hub-a", slot=slot)
    await live.join(group="hub-b", slot=slot)

    for number in range(50):
        publish("hub-a", f"a{number}")
    publish("hub-b", "b")
    await asyncio.sleep(0.3)

    assert await slot.take(within=2) == ["a49", "b"]
    assert slot.skipped == 49


async def test_different_hints_do_not_replace_one_another(live):
    slot = live.slot()
    await live.join(group="hub-a", slot=slot, each=True)

    for text in ("state", "steps", "state"):
        publish("hub-a", text)
    await asyncio.sleep(0.3)

    assert await slot.take(within=2) == ["state", "steps"]


async def test_a_slot_never_holds_more_than_its_bound():
    slot = hub.Slot()

    for number in range(1000):
        slot.put(number, str(number))

    assert await slot.take(within=1) == [str(number) for number in range(1000 - hub.MOST_KEYS, 1000)]


async def test_sockets_with_the_same_view_share_its_text_and_a_view_may_hide_everything(live):
    seen = []

    def half(message: bytes) -> str:
        seen.append(message)
        return message.decode()[:2]

    slots = [live.slot() for _ in range(3)]
    blind = live.slot()
    for slot in slots:
        await live.join(group="hub-a", slot=slot, view=half)
    await live.join(group="hub-a", slot=blind, view=lambda message: None)

    publish("hub-a", "abcd")

    assert [await slot.take(within=2) for slot in slots] == [["ab"]] * 3
    assert len(seen) == 1
    assert await blind.take(within=0.1) == []


async def test_the_last_one_to_leave_ends_the_subscription(live):
    first, second, other = live.slot(), live.slot(), live.slot()
    await live.join(group="hub-a", slot=first)
    await live.join(group="hub-a", slot=second)
    await live.join(group="hub-b", slot=other)

    await live.leave(slot=first)
    assert subscribers("hub-a") == 1
    await live.leave(slot=second)
    await asyncio.sleep(0.1)

    assert subscribers("hub-a") == 0
    assert live.groups == {"hub-b": 1}
    publish("hub-b", "still here")
    assert await other.take(within=2) == ["still here"]


async def test_joins_and_leaves_at_once_leave_nothing_behind(live):
    async def visit(number: int) -> None:
        slot = live.slot()
        await live.join(group=f"hub-{number % 3}", slot=slot)
        await asyncio.sleep(0.01 * (number % 5))
        await live.leave(slot=slot)

    await asyncio.gather(*(visit(number) for number in range(60)))
    await asyncio.sleep(0.1)

    assert live.groups == {}
    assert [subscribers(f"hub-{number}") for number in range(3)] == [0, 0, 0]


async def test_a_view_that_fails_costs_nobody_the_stream(live):
    def broken(message: bytes) -> str:
        raise ValueError("nonsense")

    bad, good = live.slot(), live.slot()
    await live.join(group="hub-a", slot=bad, view=broken)
    await live.join(group="hub-b", slot=good)

    publish("hub-a", "x")
    publish("hub-b", "y")

    assert await good.take(within=2) == ["y"]


async def test_after_a_restart_of_valkey_everyone_hears_that_it_was_lost_and_the_stream_goes_on(own_valkey):
    live, slot = hub.Hub(url=own_valkey.url), hub.Slot()
    await live.join(group="hub-a", slot=slot)

    own_valkey.stop()
    assert await slot.take(within=5) == [hub.LOST]
    late = hub.Slot()
    joining = asyncio.create_task(live.join(group="hub-b", slot=late))  # somebody opens a page meanwhile
    await asyncio.sleep(0.3)
    own_valkey.start()

    assert await slot.take(within=10) == [hub.RESUMED]
    await joining
    await asyncio.sleep(0.2)
    assert publish("hub-a", "back", own_valkey.port) == 1
    assert publish("hub-b", "too", own_valkey.port) == 1
    assert (await slot.take(within=2))[-1] == "back"
    assert (await late.take(within=2))[-1] == "too"
    for each in (slot, late):
        await live.leave(slot=each)


async def test_a_valkey_that_hangs_is_noticed_and_left(own_valkey, monkeypatch):
    monkeypatch.setattr(hub, "SILENCE", 0.2)
    monkeypatch.setattr(hub, "PONG_WITHIN", 0.2)
    live, slot = hub.Hub(url=own_valkey.url), hub.Slot()
    await live.join(group="hub-a", slot=slot)

    await asyncio.sleep(0.7)  # silence is answered by a pong: nothing is lost
    assert await slot.take(within=0.1) == []
    redis.Redis(port=own_valkey.port).execute_command("CLIENT", "PAUSE", "1500", "ALL")

    assert await slot.take(within=3) == [hub.LOST]
    await live.leave(slot=slot)


def test_what_the_hub_says_about_itself_is_json():
    assert json.loads(hub.LOST) == {"hub": "reconnecting"}
    assert json.loads(hub.RESUMED) == {"hub": "resumed"}


def test_two_databases_of_one_valkey_use_different_channels(settings):
    settings.LIVE_REDIS_URL = "redis://127.0.0.1:6379/3"
    first = valkey.channel(group="x")
    settings.LIVE_REDIS_URL = "redis://127.0.0.1:6379/7"

    assert first != valkey.channel(group="x")
