"""Asks again, for all sockets of this process at once, whether what they watch is still theirs: one query every two seconds, however many pages are open."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import defaultdict

from channels.db import database_sync_to_async
from django.utils import timezone

from monitoring.domain.scopes import Scope
from monitoring.queries import watching

log = logging.getLogger(__name__)

EVERY = 2.0
Identity = frozenset[tuple[str, Scope]]
_still_watched = database_sync_to_async(watching.still_watched, thread_sensitive=False)


class Doorkeeper:
    """The doorkeeper of one event loop. Works while somebody waits."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, Identity], set[asyncio.Future[Identity]]] = defaultdict(set)
        self._round: asyncio.Task[None] | None = None

    async def changed(self, *, number: str, servers: Identity) -> Identity:
        """Wait until the Booking `number` has other Servers than `servers`; returns those it has then, none at its end."""
        told: asyncio.Future[Identity] = asyncio.get_running_loop().create_future()
        self._waiting[number, servers].add(told)
        if self._round is None or self._round.done():
            self._round = asyncio.create_task(self._rounds(), name="live-doorkeeper")
        try:
            return await told
        finally:
            self._waiting[number, servers].discard(told)
            if not self._waiting[number, servers]:
                del self._waiting[number, servers]

    async def _rounds(self) -> None:
        while self._waiting:
            await asyncio.sleep(EVERY)
            try:
                found = await _still_watched(numbers={number for number, _ in self._waiting}, now=timezone.now())
            except Exception:
                log.exception("could not ask who may still watch")  # the next round asks again; the socket's own end stands
                continue
            self._tell(found)

    def _tell(self, found: dict[str, Identity]) -> None:
        for (number, servers), waiting in self._waiting.items():
            now_has = found.get(number, frozenset())
            if now_has != servers:
                for told in waiting:
                    if not told.done():
                        told.set_result(now_has)


_doorkeepers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Doorkeeper] = weakref.WeakKeyDictionary()


def here() -> Doorkeeper:
    """The doorkeeper of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _doorkeepers:
        _doorkeepers[loop] = Doorkeeper()
    return _doorkeepers[loop]
