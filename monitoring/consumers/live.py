"""The sockets of the live pages: a snapshot, then every message of the Servers, cut down to what is the viewer's, for as long as it is his."""

from __future__ import annotations

import asyncio
import logging
import random

from channels.db import database_sync_to_async
from django.utils import timezone

from monitoring.consumers import doorkeeper
from monitoring.queries import streams, watching
from monitoring.queries.watching import Watch
from portal.kernel.errors import DomainError
from portal.live import sockets

log = logging.getLogger(__name__)

CHANGED = 4411  # other Servers than before: load the page again
PERSON_EVERY = 30.0  # seconds between looks at whether this person may still watch and is still logged in


class Over(DomainError):
    """Nothing of this booking is live."""

    status = 410
    code = "over"


class Readings(sockets.Stream):
    """Readings of some Servers. A subclass says of which."""

    async def find(self) -> Watch:
        raise NotImplementedError

    async def admit(self) -> list[sockets.Feed]:
        self.watching = await self.find()
        if not self.watching.servers:
            raise Over
        feeds = []
        for one in self.watching.servers:
            feeds.append(sockets.Feed(streams.group(one.serial), view=watching.view_of(one)))
            feeds.append(sockets.Feed(streams.faults_group(one.serial), each=True))
        return feeds

    async def opening(self) -> list[str]:
        texts = await streams.newest_texts([one.serial for one in self.watching.servers])
        views = {one.serial: watching.view_of(one) for one in self.watching.servers}
        return [view(text) if (view := views[serial]) else text.decode() for serial, text in texts.items()]

    async def watch(self) -> None:
        """Ends the socket when the Booking ends or gets other Servers, within seconds; when the person may no longer watch, within half a minute."""
        ends = [asyncio.ensure_future(self.until_changed()), asyncio.ensure_future(self.until_unwelcome())]
        try:
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            await self.close(done.pop().result())
        finally:
            for end in ends:
                end.cancel()

    async def until_changed(self) -> int:
        """The close code, once there is one."""
        await asyncio.Event().wait()
        return CHANGED

    async def until_unwelcome(self) -> int:
        while True:
            await asyncio.sleep(PERSON_EVERY * random.uniform(0.7, 1.0))  # noqa: S311 - spreads the queries, guards nothing
            try:
                if not await self.is_logged_in():
                    return sockets.NOT_LOGGED_IN
                await self.find()
            except DomainError as error:
                return 4000 + error.status
            except Exception as error:  # a database that is away costs nobody his page; the next look asks again
                log.warning("could not ask whether somebody may still watch: %s", error)

    async def is_logged_in(self) -> bool:
        session = self.scope["session"]
        return await database_sync_to_async(session.exists, thread_sensitive=False)(session.session_key)


class BookingReadings(Readings):
    """/ws/live/<number>/"""

    async def find(self) -> Watch:
        find = database_sync_to_async(watching.booking, thread_sensitive=False)
        return await find(user=self.scope["user"], number=self.scope["url_route"]["kwargs"]["number"], now=timezone.now())

    async def until_changed(self) -> int:
        number, servers = self.watching.number, watching.identity(self.watching.servers)
        return CHANGED if await doorkeeper.here().changed(number=number, servers=servers) else sockets.OVER


class ServerReadings(Readings):
    """/ws/operate/servers/<serial>/live/"""

    async def find(self) -> Watch:
        find = database_sync_to_async(watching.server, thread_sensitive=False)
        return await find(user=self.scope["user"], serial=self.scope["url_route"]["kwargs"]["serial"])
