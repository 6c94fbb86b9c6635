"""One subscription per group and process; every local socket gets the same text, encoded once; for a slow reader the newest wins.

The channel layer costs 0.4 to 1.2 ms of CPU for each delivered message, this hub about a tenth (docs/decisions). What it promises:

- a socket holds one message per group at most, so its memory is bounded whatever it reads;
- the last one to leave a group ends the subscription, the last one to leave the hub ends the connection: nothing is left behind;
- when Valkey goes away each socket hears `LOST`, the hub tries again with jittered waits, subscribes to what is wanted by then, and each hears `RESUMED`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import weakref
from collections.abc import Callable

import redis
from django.conf import settings

from portal.live import valkey

log = logging.getLogger(__name__)

LOST = '{"hub":"reconnecting"}'
RESUMED = '{"hub":"resumed"}'
FIRST_WAIT, LONGEST_WAIT = 0.2, 5.0
SILENCE, PONG_WITHIN = 15.0, 5.0  # a subscription that is silent for so long is asked whether it lives
MOST_KEYS = 64

View = Callable[[bytes], str | None]  # what of a message these sockets may see; computed once for all sockets with an equal view
Gone = (redis.RedisError, OSError)


class Slot:
    """What one socket has yet to send: at most one message per key, the newest. Order is the order of first arrival."""

    def __init__(self) -> None:
        self._texts: dict[object, str] = {}
        self._filled = asyncio.Event()
        self.skipped = 0

    def put(self, key: object, text: str) -> None:
        if key in self._texts:
            self.skipped += 1
        elif len(self._texts) >= MOST_KEYS:
            del self._texts[next(iter(self._texts))]
            self.skipped += 1
        self._texts[key] = text
        self._filled.set()

    async def take(self, *, within: float | None = None) -> list[str]:
        """All that waits, once something does; an empty list when nothing came `within` so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._filled.wait()
        texts, self._texts = list(self._texts.values()), {}
        self._filled.clear()
        return texts


class _Group:
    def __init__(self) -> None:
        self.members: dict[Slot, View | None] = {}
        self.heard = asyncio.Event()  # Valkey has confirmed the subscription
        self.each = False

    def deliver(self, name: str, message: bytes) -> None:
        texts: dict[View | None, str | None] = {}
        for slot, view in self.members.items():
            if view not in texts:
                texts[view] = _seen_through(view, message)
            text = texts[view]
            if text is not None:
                slot.put((name, text) if self.each else name, text)


def _seen_through(view: View | None, message: bytes) -> str | None:
    if view is None:
        return message.decode()
    try:
        return view(message)
    except Exception:
        log.exception("a view failed on a live message")  # its sockets miss one message; the others must not miss any
        return None


class Hub:
    """The hub of one event loop. `join` and `leave` may come from any number of sockets at once."""

    def __init__(self, *, url: str) -> None:
        self._url = url
        self._groups: dict[str, _Group] = {}
        self._lock = asyncio.Lock()  # no last leave may cross a first join of the same group
        self._pubsub: redis.asyncio.client.PubSub | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def groups(self) -> dict[str, int]:
        """How many sockets stand in each group."""
        return {name: len(group.members) for name, group in self._groups.items()}

    async def join(self, *, group: str, slot: Slot, view: View | None = None, each: bool = False) -> None:
        """Let messages of `group` fall into `slot` from now on; returns when the subscription stands, or after two seconds without Valkey (it follows
        when Valkey does). With `each`, different messages do not replace one another (hints)."""
        async with self._lock:
            present = self._groups.setdefault(group, _Group())
            present.each = each
            present.members[slot] = view
            if self._task is None:
                self._task = asyncio.create_task(self._run(), name="live-hub")
            elif len(present.members) == 1:
                await self._tell("subscribe", group)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(valkey.SECONDS):
                await present.heard.wait()

    async def leave(self, *, slot: Slot) -> None:
        """Take `slot` out of every group. Harmless when it is in none."""
        async with self._lock:
            for name in [name for name, group in self._groups.items() if slot in group.members]:
                del self._groups[name].members[slot]
                if not self._groups[name].members:
                    del self._groups[name]
                    await self._tell("unsubscribe", name)
            if not self._groups and self._task is not None:
                task, self._task = self._task, None
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _tell(self, verb: str, group: str) -> None:
        """A failure here is the reader's to notice: it subscribes to everything again."""
        if self._pubsub is not None:
            with contextlib.suppress(*Gone):
                await getattr(self._pubsub, verb)(valkey.channel(group=group))

    async def _run(self) -> None:
        attempt = 0
        while True:
            client = valkey.subscriber(url=self._url)
            pubsub = client.pubsub()
            try:
                await self._subscribe(pubsub)
                if attempt:
                    log.info("the live hub is connected again")
                    self._tell_everyone(RESUMED)
                attempt = 0
                await self._listen(pubsub)
            except Exception as error:  # whatever ends a subscription, the answer is the same: say so and try again
                if not attempt:
                    log.warning("the live hub lost Valkey: %s", error)
                    self._tell_everyone(LOST)
            finally:
                self._pubsub = None
                for group in self._groups.values():
                    group.heard.clear()
                with contextlib.suppress(*Gone):
                    await pubsub.aclose()
                    await client.aclose()
            attempt += 1
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempt, 8))
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311 - spreads reconnects, guards nothing

    async def _subscribe(self, pubsub: redis.asyncio.client.PubSub) -> None:
        """Under no lock while connecting, so that nobody waits for a dead Valkey; what joined meanwhile is added under the lock."""
        wanted = set(self._groups)
        await pubsub.subscribe(*(valkey.channel(group=name) for name in wanted))
        async with self._lock:
            self._pubsub = pubsub
            late = set(self._groups) - wanted
            if late:
                await pubsub.subscribe(*(valkey.channel(group=name) for name in late))

    async def _listen(self, pubsub: redis.asyncio.client.PubSub) -> None:
        prefix = len(valkey.channel(group=""))
        asked = False
        while True:
            message = await pubsub.get_message(timeout=PONG_WITHIN if asked else SILENCE)
            if message is None:
                if asked:
                    raise TimeoutError("no answer from Valkey")
                await pubsub.ping()
                asked = True
                continue
            asked = False
            group = self._groups.get(message["channel"].decode()[prefix:]) if message["channel"] else None
            if group is None:
                continue
            if message["type"] == "message":
                group.deliver(message["channel"].decode()[prefix:], message["data"])
            elif message["type"] == "subscribe":
                group.heard.set()

    def _tell_everyone(self, text: str) -> None:
        for slot in {slot for group in self._groups.values() for slot in group.members}:
            slot.put("hub", text)


_hubs: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = weakref.WeakKeyDictionary()


def here() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub(url=settings.LIVE_REDIS_URL)
    return _hubs[loop]
