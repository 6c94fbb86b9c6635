"""The way in: who may send, what is refused by which name, and that each reading counts once."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import httpx
import pytest

from monitoring.domain.samples import Event
from monitoring.models import GpuEvent
from monitoring.queries import agents as agent_queries
from monitoring.queries import streams as stream_queries
from monitoring.services import agents, ingest
from portal.asgi import application
from tests.monitoring import batches

TOKEN = "agt_of-srv-a1"


class Door:
    """Sends to the portal's own ASGI application."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        self.client, self.token = client, token

    async def send(self, body: bytes, token: str | None = None, method: str = "POST") -> httpx.Response:
        return await self.client.request(
            method, "/telemetry/v1/ingest", content=body, headers={"Authorization": f"Bearer {self.token if token is None else token}"}
        )


@pytest.fixture
async def door(streams, monkeypatch):
    """The agent of srv-a1 is known; there is no database behind it, because no reading asks one."""
    monkeypatch.setattr(agent_queries, "active", lambda: {agents.token_hash(token=TOKEN): "srv-a1"})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=application), base_url="http://testserver") as client:
        yield Door(client, TOKEN)


@pytest.fixture
async def real_door(streams, transactional_db, racks, now):
    """The same with agents and faults in the database."""
    token = await asyncio.to_thread(agents.enrol, server="srv-a1", by=None, now=now)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=application), base_url="http://testserver") as client:
        yield Door(client, token)


def kept(server: str = "srv-a1") -> list:
    return stream_queries.history([server]).get(server, [])


async def test_a_batch_is_taken_kept_and_published(door, streams):
    listener = streams.pubsub(ignore_subscribe_messages=True)
    listener.psubscribe("*")
    listener.get_message(timeout=1)

    answer = await door.send(batches.body(batches.batch("srv-a1", batches.board("GPU-0"), batches.mig("GPU-1"))))

    assert (answer.status_code, answer.json()) == (202, {"taken": True})
    (message,) = kept()
    assert message.samples == (batches.board("GPU-0"), batches.mig("GPU-1"))
    assert (message.server, message.source) == ("srv-a1", "simulated")
    published = listener.get_message(timeout=2)
    assert published["channel"].endswith(b":server-srv-a1")
    assert stream_queries.unpacked(published["data"]) == message


async def test_h13_a_repeat_or_a_latecomer_is_answered_and_changes_nothing(door):
    at = time.time() - 10
    first = batches.body(batches.batch("srv-a1", batches.board("GPU-0"), seq=5, at=at))

    assert [(await door.send(first)).status_code for _ in range(3)] == [202, 200, 200]
    late = await door.send(batches.body(batches.batch("srv-a1", batches.board("GPU-0"), seq=4, at=at - 1)))
    again = await door.send(batches.body(batches.batch("srv-a1", batches.board("GPU-0"), seq=6, at=at)))

    assert (late.json(), again.json()) == ({"taken": False}, {"taken": False})
    assert len(kept()) == 1


async def test_the_newest_reading_never_goes_backwards_when_batches_cross(door):
    sent = [batches.body(batches.batch("srv-a1", batches.board("GPU-0", power=float(seq)), seq=seq, at=time.time() - 50 + seq)) for seq in range(20)]

    await asyncio.gather(*(door.send(body) for body in sent[::-1]), *(door.send(body) for body in sent))

    times = [message.at for message in kept()]
    assert times == sorted(set(times))
    assert kept()[-1].samples[0].power == 19


@pytest.mark.parametrize("token", ["", "wrong", "agt_" + "x" * 43])
async def test_a_wrong_token_is_401(door, token):
    answer = await door.send(batches.body(batches.batch("srv-a1")), token=token)

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unknown_agent")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert kept() == []


async def test_a_token_sends_for_its_own_server_only(door):
    answer = await door.send(batches.body(batches.batch("srv-a2", batches.board("GPU-0"))))

    assert (answer.status_code, answer.json()["error"]["field"]) == (403, "server")
    assert kept("srv-a2") == []


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (b"", 400, "body"),
        (b"nonsense", 400, "body"),
        (b"\xff", 400, "body"),
        (b"[" * 60_000, 400, "body"),
        (b'{"v": 1, "at": NaN}', 400, "body"),
        (b"[]", 400, "body"),
        (b"{}", 400, "v"),
        (b'{"v": 1, "pad": "' + b"x" * 65_536 + b'"}', 413, "body"),
        (batches.body(batches.batch("srv-a1"), gpus=[["GPU-0"]]), 400, "gpus[0]"),
        (batches.body(batches.batch("srv-a1"), at=time.time() + 86_400), 400, "at"),
        (batches.body(batches.batch("srv-a1"), seq="1"), 400, "seq"),
    ],
)
async def test_what_cannot_be_taken_is_refused_by_the_name_of_its_field(door, body, status, field):
    answer = await door.send(body)

    assert (answer.status_code, answer.json()["error"]["field"]) == (status, field)
    assert kept() == []


async def test_only_post_is_answered(door):
    assert (await door.send(b"", method="GET")).status_code == 405


async def test_a_body_without_a_declared_length_is_capped_too(door):
    async def endless():
        while True:
            yield b"x" * 10_000

    answer = await door.client.post("/telemetry/v1/ingest", content=endless(), headers={"Authorization": f"Bearer {door.token}"})

    assert answer.status_code == 413


async def test_a_revoked_token_ends_within_seconds_and_a_new_one_works_at_once(real_door, now, monkeypatch):
    monkeypatch.setattr(ingest, "FRESH", 0.1)
    monkeypatch.setattr(ingest, "AGAIN", 0.05)
    body = lambda seq: batches.body(batches.batch("srv-a1", seq=seq, at=time.time()))  # noqa: E731
    assert (await real_door.send(body(1))).status_code == 202

    await asyncio.to_thread(agents.revoke, server="srv-a1", by=None, now=now)
    await asyncio.sleep(0.15)
    await real_door.send(body(2))  # may still be served by the old table while it is read again
    await asyncio.sleep(0.1)
    assert (await real_door.send(body(3))).status_code == 401

    token = await asyncio.to_thread(agents.enrol, server="srv-a1", by=None, now=now)
    await asyncio.sleep(0.1)
    assert (await real_door.send(body(4), token=token)).status_code == 202


async def test_a_server_that_floods_is_told_to_wait(door, monkeypatch):
    monkeypatch.setattr(ingest, "BURST", 5.0)
    monkeypatch.setattr(ingest, "A_SECOND", 0.0)

    statuses = [(await door.send(batches.body(batches.batch("srv-a1", seq=seq, at=time.time() + seq)))).status_code for seq in range(7)]

    assert statuses == [202] * 5 + [429] * 2


async def test_a_fault_is_in_the_database_before_the_answer_and_once_however_often_it_is_sent(real_door):
    at = time.time()
    fault = Event("GPU-0", "xid-79", at, "GPU has fallen off the bus")

    for seq in (1, 1, 2):
        await real_door.send(batches.body(batches.batch("srv-a1", batches.board("GPU-0"), seq=seq, at=at + seq, events=(fault,))))

    (row,) = await asyncio.to_thread(lambda: list(GpuEvent.objects.all()))
    assert (row.server, row.gpu, row.code, row.text) == ("srv-a1", "GPU-0", "xid-79", "GPU has fallen off the bus")
    assert abs(row.at.timestamp() - at) < 0.001


async def test_without_valkey_the_agent_is_asked_to_come_again(door, own_valkey):
    own_valkey.stop()

    answer = await door.send(batches.body(batches.batch("srv-a1")))

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "try_later")


async def test_an_agent_that_hangs_up_in_the_middle_costs_nothing(door):
    sent = []
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> dict:
        return next(messages)

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/telemetry/v1/ingest", "headers": [(b"authorization", f"Bearer {door.token}".encode())]}
    await application(scope, receive, send)

    assert sent == []


async def test_what_nobody_expected_is_a_500_in_the_shape_of_every_refusal(door, monkeypatch):
    async def broken(**arguments: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(ingest, "receive", broken)

    answer = await door.send(b"{}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "error")


class TestRegistry:
    """The table of tokens, on a clock of its own."""

    @pytest.fixture(autouse=True)
    def world(self):
        self.at, self.table, self.reads, self.broken = 0.0, {agents.token_hash(token="good"): "srv-1"}, 0, False

        async def load() -> dict[str, str]:
            self.reads += 1
            if self.broken:
                raise ConnectionError
            return dict(self.table)

        self.registry = ingest.Registry(load, clock=lambda: self.at)

    async def test_it_is_read_once_for_many_requests(self):
        assert await asyncio.gather(*(self.registry.server_of("good") for _ in range(50))) == ["srv-1"] * 50
        assert self.reads == 1

    async def test_a_flood_of_wrong_tokens_does_not_reach_the_database(self):
        for number in range(200):
            with pytest.raises(ingest.UnknownAgent):
                await self.registry.server_of(f"wrong {number}")

        assert self.reads == 1

    async def test_a_token_that_is_new_is_found_after_a_second(self):
        with pytest.raises(ingest.UnknownAgent):
            await self.registry.server_of("new")
        self.table[agents.token_hash(token="new")] = "srv-2"
        self.at += 1.5

        assert await self.registry.server_of("new") == "srv-2"

    async def test_a_database_that_is_away_shuts_nobody_out_for_a_minute(self):
        await self.registry.server_of("good")
        self.broken, self.at = True, 50.0
        assert await self.registry.server_of("good") == "srv-1"

        self.at = 70.0
        with pytest.raises(ingest.AgentsAway):
            await self.registry.server_of("good")

        self.broken, self.at = False, 80.0
        assert await self.registry.server_of("good") == "srv-1"


def test_an_hour_of_one_batch_a_second_passes_the_gate_and_a_flood_does_not():
    clock = [0.0]
    gate = ingest.Gate(clock=lambda: clock[0])
    for _ in range(3600):
        clock[0] += 1
        gate.pass_one("srv-1")

    for _ in range(int(ingest.BURST) - 1):
        gate.pass_one("srv-1")
    with pytest.raises(ingest.TooOften):
        gate.pass_one("srv-1")
    gate.pass_one("srv-2")


def test_the_moment_of_an_event_is_kept_in_utc(db, now):
    from monitoring.services import events

    events.record(server="srv-a1", events=[Event("GPU-0", "ecc", 1_796_115_600.5)], now=now)

    assert GpuEvent.objects.get().at == datetime(2026, 12, 1, 9, 0, 0, 500_000, tzinfo=UTC)
