"""The sockets of the pages about Bookings and of the racks: hints that something changed. Who may hear is decided at the door and again while it is open."""

from __future__ import annotations

import asyncio
import random

from channels.db import database_sync_to_async

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import DomainError
from portal.live import hub, sockets
from rentals.queries import bookings

LOOK_EVERY = 30.0  # seconds between looks at whether this person may still listen and is still logged in


class Hints(sockets.Stream):
    """Hints of one group. A subclass says who may hear them."""

    def group(self) -> str:
        raise NotImplementedError

    def check(self) -> None:
        """Raise a DomainError when this person may not hear."""
        raise NotImplementedError

    async def admit(self) -> list[sockets.Feed]:
        await self._asked(self.check)
        return [sockets.Feed(self.group(), each=True)]

    async def opening(self) -> list[str]:
        """The line stands: the page fetches what was said before it did."""
        return [hub.RESUMED]

    async def watch(self) -> None:
        """Ends the socket within half a minute of the end of his session or of his right."""
        while True:
            await asyncio.sleep(LOOK_EVERY * random.uniform(0.7, 1.0))  # noqa: S311 - spreads the queries, guards nothing
            session = self.scope["session"]
            if not await self._asked(session.exists, session.session_key):
                return await self.close(sockets.NOT_LOGGED_IN)
            try:
                await self._asked(self.check)
            except DomainError as error:
                return await self.close(4000 + error.status)

    async def _asked(self, question, *words: object) -> object:
        return await database_sync_to_async(question, thread_sensitive=False)(*words)


class BookingHints(Hints):
    """/ws/bookings/<number>/"""

    @property
    def number(self) -> str:
        return self.scope["url_route"]["kwargs"]["number"]

    def group(self) -> str:
        return f"booking-{self.number}"

    def check(self) -> None:
        bookings.booking_for(self.scope["user"], self.number)


class FleetHints(Hints):
    """/ws/operate/fleet/"""

    def group(self) -> str:
        return "fleet"

    def check(self) -> None:
        accounts.require_staff(self.scope["user"], roles.OPERATOR)
