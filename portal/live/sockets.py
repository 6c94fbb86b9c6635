"""A websocket that takes its stream from the hub. An app subclasses `Stream`, says in `admit` who may hear what, and lists it in its urls.sockets.

class BookingHints(sockets.Stream):
    async def admit(self) -> list[sockets.Feed]:
        number = self.scope["url_route"]["kwargs"]["number"]
        await database_sync_to_async(queries.booking_for)(self.scope["user"], number)
        return [sockets.Feed(f"booking-{number}", each=True)]
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass

from channels.generic.websocket import AsyncWebsocketConsumer

from portal.kernel.errors import DomainError
from portal.live import hub

log = logging.getLogger(__name__)

QUIET = 15.0  # after so many silent seconds a ping says that the server is there
SEND_WITHIN = 20.0  # a socket whose peer takes nothing for so long is closed
PING = '{"ping":1}'
NOT_LOGGED_IN, TOO_SLOW, OVER = 4401, 4408, 4410  # close codes; a refusal closes with 4000 + its HTTP status


@dataclass(frozen=True, slots=True)
class Feed:
    """A group to hear, the part of it that may be seen, and whether each different message counts (hints) or only the newest (readings)."""

    group: str
    view: hub.View | None = None
    each: bool = False


class Stream(AsyncWebsocketConsumer):
    """Joins, sends the snapshot, then streams; whatever ends it, nothing of it stays in the hub."""

    channel_layer_alias = "none"  # no channel layer: it would cost a blocking read in Valkey for each socket

    async def admit(self) -> list[Feed]:
        """Decide who this is and what he hears. Raise a DomainError to refuse."""
        raise NotImplementedError

    async def opening(self) -> list[str]:
        """What to send before the stream, read after the feeds were joined so that nothing falls between."""
        return []

    async def watch(self) -> None:
        """Runs beside the stream; returns when it must end, having called `close` with a code. By default it never does."""
        await asyncio.Event().wait()

    async def __call__(self, scope, receive, send):
        self._slot = hub.Slot()
        self._tasks: list[asyncio.Task[None]] = []
        try:
            return await super().__call__(scope, receive, send)
        finally:  # also on cancellation and on errors, when no disconnect message comes
            for task in self._tasks:
                task.cancel()
            await hub.here().leave(slot=self._slot)

    async def connect(self) -> None:
        await self.accept()  # a refusal before this reaches the page as a bare failure, without its code
        if not self.scope["user"].is_authenticated:
            return await self.close(NOT_LOGGED_IN)
        try:
            feeds = await self.admit()
        except DomainError as error:
            return await self.close(4000 + error.status)
        for feed in feeds:
            await hub.here().join(group=feed.group, slot=self._slot, view=feed.view, each=feed.each)
        for text in await self.opening():
            await self.send(text_data=text)
        self._tasks = [asyncio.create_task(self._pump()), asyncio.create_task(self._guard())]

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """A page has nothing to say here."""

    async def _pump(self) -> None:
        try:
            while True:
                for text in await self._slot.take(within=QUIET) or [PING]:
                    async with asyncio.timeout(SEND_WITHIN):
                        await self.send(text_data=text)
        except TimeoutError:
            await self._end(TOO_SLOW)
        except Exception as error:  # the server raises its own kinds when the peer has gone; the disconnect message follows
            log.debug("live socket ended: %s", error)

    async def _guard(self) -> None:
        try:
            await self.watch()
        except Exception:
            log.exception("the watch over a live socket failed")
            await self._end(1011)

    async def _end(self, code: int) -> None:
        with contextlib.suppress(Exception):  # closing what is closed already
            await self.close(code)
