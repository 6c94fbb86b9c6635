"""Which Servers and GPUs a Booking has under its hands, for monitoring: by UUID, never by index (an index changes with reboot and driver)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from portal.kernel.period import Period
from rentals.models import Accelerator, Assignment, Booking, Server, Unit, UnitKind

SLOTS_PER_GPU = 8
VIEWERS = tuple(role for role in roles.EVERYONE if role != roles.BILLING)


@dataclass(frozen=True, slots=True)
class LiveGpu:
    """One accelerator, or the slice of one (`start`, `size` in memory slices of 8) that an Assignment covers. Memory in MiB."""

    uuid: str
    position: int
    model: str
    memory_mib: int
    tdp_w: int
    start: int = 0
    size: int = SLOTS_PER_GPU

    @property
    def is_slice(self) -> bool:
        return self.size < SLOTS_PER_GPU


@dataclass(frozen=True, slots=True)
class LiveServer:
    """One Server of a Booking. `served` runs from the hand-over to the hand-back or the end; outside of it nothing is the customer's to see."""

    serial: str
    name: str
    whole: bool
    gpus: tuple[LiveGpu, ...]
    served: Period
    is_live: bool


@dataclass(frozen=True, slots=True)
class LiveBooking:
    number: str
    state: str
    title: str
    title_zh: str
    during: Period
    servers: tuple[LiveServer, ...]

    @property
    def live(self) -> tuple[LiveServer, ...]:
        return tuple(server for server in self.servers if server.is_live)


@dataclass(frozen=True, slots=True)
class Cut:
    """A MIG instance as a Server is cut at present."""

    position: int
    start: int
    size: int
    profile: str
    memory_mib: int


@dataclass(frozen=True, slots=True)
class FleetServer:
    """A Server with all of its accelerators, for those who read them all: agents and operators."""

    serial: str
    name: str
    gpus: tuple[LiveGpu, ...]
    cuts: tuple[Cut, ...]


def live_booking(*, user: Any, number: str, now: datetime) -> LiveBooking:
    """The Servers of a Booking for one who may watch them: a member (not one who only sees bills) or an operator.

    Raises NotFound for an outsider, NotAllowed for an insider of another role.
    """
    booking = Booking.objects.by_number(number).select_related("configuration").first()
    if booking is None:
        raise NotFound()
    accounts.check_role(user, booking.organisation_id, roles=VIEWERS, staff=(roles.OPERATOR,))
    return _live(booking, _servers([booking], now)[booking.pk])


def live_servers(*, booking: Booking, now: datetime) -> tuple[LiveServer, ...]:
    """The Servers of a Booking, those handed over first."""
    return _servers([booking], now)[booking.pk]


def live_by_number(*, numbers: Iterable[str], now: datetime) -> dict[str, tuple[LiveServer, ...]]:
    """For each Booking the Servers that are under its hands at this instant; three queries for all of them. Asks nobody's permission."""
    bookings = list(Booking.objects.by_numbers(numbers))
    servers = _servers(bookings, now)
    return {booking.number: tuple(server for server in servers[booking.pk] if server.is_live) for booking in bookings}


def fleet() -> list[FleetServer]:
    """All Servers with accelerators that are not retired, by serial. Three queries."""
    servers = Server.objects.exclude(state=Server.State.RETIRED).select_related("model").order_by("serial")
    gpus = _accelerators([server.pk for server in servers])
    cuts = _cuts()
    return [
        FleetServer(server.serial, server.model.name, tuple(_gpu(row) for row in gpus[server.pk]), tuple(cuts[server.pk]))
        for server in servers
        if gpus[server.pk]
    ]


def known(*, serials: Iterable[str]) -> frozenset[str]:
    """Those of `serials` whose Server stands in the fleet and is not retired. One query."""
    standing = Server.objects.filter(serial__in=list(serials)).exclude(state=Server.State.RETIRED)
    return frozenset(standing.values_list("serial", flat=True))


def _live(booking: Booking, servers: tuple[LiveServer, ...]) -> LiveBooking:
    configuration = booking.configuration
    during = Period(booking.during.lower, booking.during.upper)
    return LiveBooking(booking.number, booking.state, configuration.name, configuration.name_zh, during, servers)


def _servers(bookings: Sequence[Booking], now: datetime) -> dict[int, tuple[LiveServer, ...]]:
    rows = list(
        Assignment.objects.filter(booking__in=bookings, ready_at__isnull=False)
        .select_related("server__model")
        .order_by("booking_id", "server__serial", "during", "slots")
    )
    gpus = _accelerators({row.server_id for row in rows})
    found: dict[int, dict[tuple[int, Period], list[Assignment]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        served = _served(row, now)
        if served is not None:
            found[row.booking_id][row.server_id, served].append(row)
    return defaultdict(tuple, {key: tuple(_server(own, gpus, served, now) for (_, served), own in of_booking.items()) for key, of_booking in found.items()})


def _served(row: Assignment, now: datetime) -> Period | None:
    start = max(row.ready_at, row.during.lower)
    end = min(row.handed_back_at or row.during.upper, row.during.upper)
    return Period(start, end) if start < end else None


def _server(rows: list[Assignment], gpus: dict[int, list[Accelerator]], served: Period, now: datetime) -> LiveServer:
    server, there = rows[0].server, gpus[rows[0].server_id]
    own = tuple(gpu for row in rows for accelerator in there if (gpu := _part(accelerator, row.slots.lower, row.slots.upper)))
    whole = len({gpu.uuid for gpu in own if not gpu.is_slice}) == len(there)
    return LiveServer(server.serial, server.model.name, whole, own, served, served.contains(now) and any(row.live for row in rows))


def _part(row: Accelerator, lower: int, upper: int) -> LiveGpu | None:
    """What the slots from `lower` to `upper` hold of this accelerator."""
    first = row.position * SLOTS_PER_GPU
    start, end = max(lower, first), min(upper, first + SLOTS_PER_GPU)
    return _gpu(row, start - first, end - start) if start < end else None


def _gpu(row: Accelerator, start: int = 0, size: int = SLOTS_PER_GPU) -> LiveGpu:
    return LiveGpu(row.uuid, row.position, row.gpu_model.name, row.gpu_model.memory_gb * 1024, row.gpu_model.tdp_w, start, size)


def _accelerators(servers: Iterable[int]) -> dict[int, list[Accelerator]]:
    found: dict[int, list[Accelerator]] = defaultdict(list)
    for row in Accelerator.objects.filter(server__in=servers).select_related("gpu_model").order_by("server_id", "position"):
        found[row.server_id].append(row)
    return found


def _cuts() -> dict[int, list[Cut]]:
    found: dict[int, list[Cut]] = defaultdict(list)
    units = Unit.objects.filter(unit_class__kind__shape=UnitKind.Shape.MIG, in_service_until__isnull=True).select_related("unit_class__kind")
    for unit in units.order_by("server_id", "slots"):
        kind, lower = unit.unit_class.kind, unit.slots.lower
        cut = Cut(lower // SLOTS_PER_GPU, lower % SLOTS_PER_GPU, unit.slots.upper - lower, kind.mig_profile, kind.memory_gb * 1024)
        found[unit.server_id].append(cut)
    return found
