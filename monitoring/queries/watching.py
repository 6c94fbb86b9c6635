"""Which Servers somebody may watch, and which part of what they say is his."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from monitoring.domain import scopes, wire
from monitoring.domain.scopes import Scope, Slice
from monitoring.queries import streams
from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from portal.kernel.period import Period
from rentals.queries import live
from rentals.queries.live import LiveGpu, LiveServer


@dataclass(frozen=True, slots=True)
class Watched:
    """One Server as one viewer sees it. `gpus` are those that are expected to report."""

    serial: str
    name: str
    gpus: tuple[LiveGpu, ...]
    scope: Scope
    served: Period | None = None  # None: for ever (operators)

    @property
    def expected(self) -> int:
        return len({gpu.uuid for gpu in self.gpus})


@dataclass(frozen=True, slots=True)
class Watch:
    """What one page, socket or API answer is about. `number` names the Booking, or the Server for an operator."""

    number: str
    title: str
    title_zh: str
    state: str
    during: Period | None
    servers: tuple[Watched, ...]  # that are live now
    served: tuple[Watched, ...]  # that ever were, for what is kept of the past


def booking(*, user: Any, number: str, now: datetime) -> Watch:
    """The Servers of a Booking. Raises NotFound for an outsider, NotAllowed for an insider who may not watch."""
    found = live.live_booking(user=user, number=number, now=now)
    return Watch(found.number, found.title, found.title_zh, found.state, found.during, tuple(map(_watched, found.live)), tuple(map(_watched, found.servers)))


def server(*, user: Any, serial: str) -> Watch:
    """Any Server, for an operator. Raises NotFound, NotAllowed."""
    accounts.require_staff(user, roles.OPERATOR)
    for found in live.fleet():
        if found.serial == serial:
            whole = Watched(found.serial, found.name, found.gpus, Scope(whole=True))
            return Watch(serial, found.name, found.name, "", None, (whole,), (whole,))
    raise NotFound()


def still_watched(*, numbers: Iterable[str], now: datetime) -> dict[str, frozenset[tuple[str, Scope]]]:
    """For each Booking the Servers that are its own at this instant, and how much of them. Asks nobody's permission."""
    found = live.live_by_number(numbers=numbers, now=now)
    return {number: identity(map(_watched, servers)) for number, servers in found.items()}


def identity(watched: Iterable[Watched]) -> frozenset[tuple[str, Scope]]:
    """What makes two views of a Booking the same; an extension changes nothing."""
    return frozenset((one.serial, one.scope) for one in watched)


def _watched(server: LiveServer) -> Watched:
    if server.whole:
        scope = Scope(whole=True)
    else:
        scope = Scope(
            gpus=frozenset(gpu.uuid for gpu in server.gpus if not gpu.is_slice),
            slices=frozenset(Slice(gpu.uuid, gpu.start, gpu.size) for gpu in server.gpus if gpu.is_slice),
        )
    return Watched(server.serial, server.name, server.gpus, scope, server.served)


@dataclass(frozen=True, slots=True)
class View:
    """A message cut down to a scope. Equal views are computed once for all their sockets (portal.live.hub)."""

    scope: Scope

    def __call__(self, message: bytes) -> str:
        packed = streams.unpacked(message)
        rows = scopes.visible(packed.rows, self.scope)
        return msgspec.json.encode([packed.server, packed.at, packed.received_at, packed.source, rows]).decode()


def view_of(watched: Watched) -> View | None:
    """The view of a Server's messages; None for all of it, which costs nothing."""
    return None if watched.scope.whole else View(watched.scope)


def cut(packed: wire.Packed, watched: Watched) -> wire.Packed:
    """One message, cut down to what may be seen."""
    return wire.Packed(packed.server, packed.at, packed.received_at, packed.source, scopes.visible(packed.rows, watched.scope))
