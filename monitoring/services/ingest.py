"""One Batch on its way in: who sends it, how often, what is in it; then faults into the database and readings into the stream. No SQL for a reading."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import msgspec
from channels.db import database_sync_to_async

from monitoring.domain import wire
from monitoring.domain.samples import Batch, Refused
from monitoring.queries import agents, streams
from monitoring.services import agents as tokens
from monitoring.services import events
from monitoring.services import streams as stream
from portal.kernel.errors import DomainError, InvalidInput, NotAllowed

MOST_BYTES = 64 * 1024
A_SECOND, BURST = 4.0, 400.0  # Batches of one Server: after an outage an agent brings five minutes at once
FRESH, KEPT, AGAIN = 2.0, 60.0, 1.0  # seconds: a table of tokens is fresh, may be used while it cannot be read, is read again for an unknown token


class UnknownAgent(DomainError):
    """This token is unknown or revoked."""

    status = 401
    code = "unknown_agent"


class TooOften(DomainError):
    """This server sends too often."""

    status = 429
    code = "too_often"


class AgentsAway(DomainError):
    """Agents cannot be checked at the moment. Send again a little later."""

    status = 503
    code = "try_later"


class Registry:
    """All tokens that may send, read again every two seconds while anyone sends: a revoked one ends within seconds, and no flood of wrong ones reaches
    the database. Belongs to one event loop."""

    def __init__(self, load: Callable[[], Awaitable[dict[str, str]]], clock: Callable[[], float] = time.monotonic) -> None:
        self._load, self._clock = load, clock
        self._table: dict[str, str] = {}
        self._read_at = self._tried_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    async def server_of(self, token: str) -> str:
        """The Server whose agent has this token. Raises UnknownAgent, AgentsAway."""
        age = self._clock() - self._read_at
        if age > FRESH:
            reading = self._begin()
            if age > KEPT:
                await reading
        key = tokens.token_hash(token=token)
        if key not in self._table and self._clock() - self._tried_at > AGAIN:
            await self._begin()
        if key in self._table:
            return self._table[key]
        if self._clock() - self._read_at > KEPT:
            raise AgentsAway()
        raise UnknownAgent()

    def _begin(self) -> asyncio.Task[None]:
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read())
        return self._reading

    async def _read(self) -> None:
        self._tried_at = self._clock()
        try:
            self._table = await self._load()
            self._read_at = self._clock()
        except Exception:  # whatever the driver raises while the database is away: the old table stands for a while
            self._table = {} if self._clock() - self._read_at > KEPT else self._table


class Gate:
    """How often each Server may send: a bucket that fills at A_SECOND and holds BURST."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def pass_one(self, server: str) -> None:
        """Take one Batch of `server`. Raises TooOften."""
        now = self._clock()
        held, at = self._buckets.get(server, (BURST, now))
        held = min(BURST, held + (now - at) * A_SECOND)
        if held < 1:
            raise TooOften()
        self._buckets[server] = (held - 1, now)


class Counter:
    """What one event loop needs to take Batches in."""

    def __init__(self) -> None:
        self.registry = Registry(database_sync_to_async(agents.active, thread_sensitive=False))
        self.gate = Gate()


_counters: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Counter] = weakref.WeakKeyDictionary()
_record = database_sync_to_async(events.record, thread_sensitive=False)


def _here() -> Counter:
    loop = asyncio.get_running_loop()
    if loop not in _counters:
        _counters[loop] = Counter()
    return _counters[loop]


async def receive(*, token: str, body: bytes, now: float) -> bool:
    """Take one Batch. True when it was new; a repeat or a latecomer changes nothing and is False. Faults in it are in the database before this returns.

    Raises UnknownAgent, TooOften, InvalidInput (with the field), NotAllowed for a Batch of another Server, StreamsAway, AgentsAway."""
    here = _here()
    server = await here.registry.server_of(token)
    here.gate.pass_one(server)
    batch = _read(body, now)
    if batch.server != server:
        raise NotAllowed("This token belongs to another server.", field="server")
    if batch.events:
        await _record(server=server, events=batch.events, now=datetime.fromtimestamp(now, UTC))
    return await stream.push(batch=batch, received_at=now)


def _read(body: bytes, now: float) -> Batch:
    try:
        return wire.from_wire(streams.decode(body), now)
    except Refused as refused:
        raise InvalidInput(refused.reason, field=refused.field) from refused
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InvalidInput(f"not JSON: {error}", field="body") from error
