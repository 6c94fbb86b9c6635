"""The sockets of the live pages: who hears what, for how long, and that nothing stays behind."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from monitoring.consumers import doorkeeper
from monitoring.consumers import live as consumers
from monitoring.domain.samples import Event
from monitoring.services import events
from monitoring.services import streams as service
from portal.accounts.models import Membership
from portal.live import hub, sockets
from rentals.models import Accelerator, Assignment, Server
from tests.live import talk
from tests.monitoring import batches, rows

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Looks as often as a test is patient."""
    monkeypatch.setattr(doorkeeper, "EVERY", 0.1)
    monkeypatch.setattr(consumers, "PERSON_EVERY", 0.3)


@pytest.fixture
def booking(transactional_db, cast, racks, now, streams):
    return rows.running(cast, racks, now)


@pytest.fixture
def session(transactional_db):
    store = SessionStore()
    store.create()
    return store


@pytest.fixture
async def connect(session):
    """connect(user, booking): an open socket; every one is gone and the hub empty when the test ends."""
    opened = []

    async def to(user, booking=None, *, serial: str = "") -> talk.Socket:
        consumer, place = (consumers.ServerReadings, {"serial": serial}) if serial else (consumers.BookingReadings, {"number": booking.number})
        socket = talk.Socket(consumer, user=user, session=session, url_route={"kwargs": place})
        opened.append(socket)
        return await socket.open()

    yield to
    for socket in opened:
        socket.stop(exceptions=False)
    await asyncio.sleep(0.05)


@pytest.fixture
async def say(streams):
    """say(server, samples): the agent's next Batch."""
    seq = 0

    async def push(server: str, *samples) -> None:
        nonlocal seq
        seq += 1
        at = timezone.now().timestamp() + seq / 1000
        await service.push(batch=batches.batch(server, *samples, seq=seq, at=at), received_at=at)

    return push


def gpus(serial: str = "srv-a1") -> list[str]:
    return list(Accelerator.objects.filter(server__serial=serial).order_by("position").values_list("uuid", flat=True))


def seen(text: str) -> list[str]:
    """The GPUs in a message."""
    return [row[0] for row in json.loads(text)[4]]


async def joined(count: int = 1) -> None:
    """Returns once so many sockets hear srv-a1: a socket is accepted first and then told whether it may stay."""
    async with asyncio.timeout(10):
        while hub.here().groups.get("faults-srv-a1") != count:  # noqa: ASYNC110 - the hub tells nobody who has joined
            await asyncio.sleep(0.01)


async def empty() -> bool:
    await asyncio.sleep(0.1)
    return hub.here().groups == {}


async def test_a_member_gets_the_newest_at_once_and_then_the_stream(connect, say, booking, cast):
    await say("srv-a1", batches.board("GPU-0", power=1.0))
    socket = await connect(cast.chen, booking)

    first = json.loads(await socket.text())
    assert first[0] == "srv-a1" and first[3] == "simulated" and first[4][0][7] == 1

    await say("srv-a1", batches.board("GPU-0", power=2.0))
    assert json.loads(await socket.text())[4][0][7] == 2
    await socket.leave()
    assert await empty()


@pytest.mark.parametrize(("who", "code"), [("sid", 4404), ("bea", 4403), ("fin", 4403)])
async def test_who_may_not_watch_is_told_why_and_hears_nothing(connect, say, booking, cast, who, code):
    await say("srv-a1", batches.board("GPU-0"))
    socket = await connect(getattr(cast, who), booking)

    assert await socket.code() == code
    assert await empty()


async def test_a_visitor_is_told_to_log_in(connect, booking):
    assert await (await connect(AnonymousUser(), booking)).code() == sockets.NOT_LOGGED_IN


async def test_a_booking_that_is_not_live_says_so(connect, booking, cast):
    await Assignment.objects.aupdate(ready_at=None)

    assert await (await connect(cast.ada, booking)).code() == sockets.OVER


async def test_nobody_hears_another_bookings_server(connect, say, booking, cast):
    socket = await connect(cast.ada, booking)

    await say("srv-a2", batches.board("GPU-x"))
    await say("srv-a1", batches.board("GPU-0"))

    assert json.loads(await socket.text())[0] == "srv-a1"


async def test_a_partition_hears_its_own_gpus_only(connect, say, booking, cast, racks, now):
    uuids = await sync_to_async(gpus)("srv-a2")

    def cut() -> None:
        booking.assignments.all().delete()
        rows.assign(booking, rows.part(Server.objects.get(serial="srv-a2"), 8, 24, now), now)

    await sync_to_async(cut)()
    await say("srv-a2", *(batches.board(gpu) for gpu in uuids))
    socket = await connect(cast.ada, booking)

    assert seen(await socket.text()) == uuids[1:3]
    await say("srv-a2", *(batches.board(gpu) for gpu in uuids[::-1]))
    assert seen(await socket.text()) == uuids[2:0:-1]


async def test_the_end_of_the_booking_ends_the_socket_within_seconds(connect, say, booking, cast):
    socket = await connect(cast.ada, booking)
    await say("srv-a1", batches.board("GPU-0"))
    await socket.text()

    await Assignment.objects.aupdate(handed_back_at=timezone.now())

    assert await socket.code(within=3) == sockets.OVER
    await socket.leave()
    assert await empty()


async def test_the_planned_end_ends_the_socket_without_anyone_doing_anything(connect, booking, cast, now):
    soon = timezone.now() + timedelta(seconds=0.6)
    await sync_to_async(lambda: booking.assignments.update(during=(now - rows.HOUR, soon)))()
    socket = await connect(cast.ada, booking)

    assert await socket.code(within=4) == sockets.OVER


async def test_an_extension_changes_nothing_for_an_open_page(connect, say, booking, cast, now):
    socket = await connect(cast.ada, booking)
    await joined()

    await sync_to_async(lambda: booking.assignments.update(during=(now - rows.HOUR, now + 24.5 * rows.HOUR)))()
    await asyncio.sleep(0.4)

    await say("srv-a1", batches.board("GPU-0"))
    assert seen(await socket.text()) == ["GPU-0"]


async def test_a_replaced_server_makes_the_page_load_again(connect, booking, cast, racks, now):
    socket = await connect(cast.ada, booking)
    await joined()

    def replace() -> None:
        booking.assignments.update(live=False)
        rows.assign(booking, Server.objects.get(serial="srv-a2").units.get(), now)

    await sync_to_async(replace)()

    assert await socket.code(within=3) == consumers.CHANGED


async def test_who_loses_his_membership_loses_the_stream(connect, booking, cast):
    socket = await connect(cast.ben, booking)
    await joined()

    await Membership.objects.filter(user=cast.ben).adelete()

    assert await socket.code(within=3) == 4404


async def test_who_logs_out_elsewhere_loses_the_stream(connect, booking, cast, session):
    socket = await connect(cast.ada, booking)
    await joined()

    await sync_to_async(session.delete)()

    assert await socket.code(within=3) == sockets.NOT_LOGGED_IN


async def test_a_database_that_is_away_costs_nobody_the_stream(connect, say, booking, cast, monkeypatch):
    socket = await connect(cast.ada, booking)
    await joined()

    async def away(**arguments: object) -> dict:
        raise ConnectionError

    monkeypatch.setattr(doorkeeper, "_still_watched", away)
    monkeypatch.setattr(consumers.BookingReadings, "find", away)
    await asyncio.sleep(0.6)

    await say("srv-a1", batches.board("GPU-0"))
    assert seen(await socket.text()) == ["GPU-0"]


async def test_a_fault_is_hinted(connect, booking, cast, now):
    socket = await connect(cast.ada, booking)
    await joined()

    await sync_to_async(events.record)(server="srv-a1", events=[Event("GPU-0", "xid-79", now.timestamp())], now=now)

    assert json.loads(await socket.text()) == {"hint": "faults"}


async def test_an_operator_hears_any_server_and_nobody_else_does(connect, say, booking, cast):
    await say("srv-t1", batches.board("GPU-0"))

    assert seen(await (await connect(cast.olu, serial="srv-t1")).text()) == ["GPU-0"]
    assert await (await connect(cast.ada, serial="srv-t1")).code() == 4404
    assert await (await connect(cast.fin, serial="srv-t1")).code() == 4403


async def test_forty_pages_leave_in_every_way_and_nothing_is_left(connect, say, booking, cast):
    opened = [await connect(cast.ada, booking) for _ in range(40)]
    await joined(40)
    assert hub.here().groups == {"server-srv-a1": 40, "faults-srv-a1": 40}

    for place, socket in enumerate(opened):
        if place % 2:
            socket.stop()  # cancelled, without a word
        else:
            await socket.leave()

    assert await empty()
    await asyncio.sleep(0.3)
    assert doorkeeper.here()._waiting == {}


async def test_after_valkey_came_back_the_page_hears_again(connect, say, booking, cast, own_valkey):
    socket = await connect(cast.ada, booking)
    await say("srv-a1", batches.board("GPU-0", power=1.0))
    await socket.text()

    own_valkey.stop()
    assert json.loads(await socket.text(within=5)) == {"hub": "reconnecting"}
    own_valkey.start()
    assert json.loads(await socket.text(within=10)) == {"hub": "resumed"}

    await say("srv-a1", batches.board("GPU-0", power=2.0))
    assert json.loads(await socket.text(within=5))[4][0][7] == 2
