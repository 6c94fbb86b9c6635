"""Everything that the page of one Booking shows, in frozen dataclasses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.domain import pricing, proration
from billing.queries import agreements as agreed
from billing.queries import settlements
from portal.kernel.money import Money
from portal.kernel.period import Period
from rentals.domain import lifecycle
from rentals.models import Assignment, Booking
from rentals.queries import bookings, usage


@dataclass(frozen=True, slots=True)
class ServerShown:
    """One rented Unit. `state`: reserved | waiting | ready | gone | back. `command` is how its tenant gets in: "" before the hand-over and after the
    hand-back."""

    label: str
    kind: str
    gpus: str
    memory_gb: int
    site: str
    zone: str
    state: str
    ready_at: datetime | None
    handed_back_at: datetime | None
    command: str
    is_simulated: bool


@dataclass(frozen=True, slots=True)
class Cost:
    """Net amounts: what was booked, what was used so far (or in the end); `back` is what ending now, or the end that was, gives back, tax included."""

    booked: Money
    served: Money
    back: Money
    is_final: bool


@dataclass(frozen=True, slots=True)
class BookingShown:
    number: str
    state: str
    is_degraded: bool
    configuration: str
    sku: str
    project: str  # its name as it is now; "" for none
    quantity: int
    during: Period
    hold_expires_at: datetime | None
    image: str
    storage: str
    storage_tb: int
    keys: tuple[str, ...]
    agreement: str
    servers: tuple[ServerShown, ...]
    price: pricing.Preview
    cost: Cost | None

    @property
    def is_over(self) -> bool:
        return self.state in lifecycle.BOOKING.final

    @property
    def was_bought(self) -> bool:
        """Whether there is money and a machine to speak of: neither a hold nor what became of one."""
        return self.cost is not None


def shown(*, booking: Booking, now: datetime) -> BookingShown:
    """The Booking as its page shows it at `now`."""
    price = agreed.price_of(agreement=booking.agreement)
    return BookingShown(
        number=booking.number,
        state=booking.state,
        is_degraded=booking.degraded,
        configuration=bookings.name_of(booking.configuration),
        sku=booking.configuration.sku,
        project=bookings.project_names(booking.organisation_id).get(booking.project_id, "") if booking.project_id else "",
        quantity=booking.quantity,
        during=usage.period_of(booking),
        hold_expires_at=booking.hold_expires_at if booking.state == Booking.State.HELD else None,
        image=booking.image.name,
        storage=bookings.name_of(booking.storage_class) if booking.storage_class else "",
        storage_tb=booking.storage_tb,
        keys=tuple(key["name"] for key in booking.ssh_keys),
        agreement=booking.agreement,
        servers=tuple(servers_of(booking)),
        price=price,
        cost=cost_of(booking=booking, price=price, now=now),
    )


def servers_of(booking: Booking) -> list[ServerShown]:
    """The Units in the order of their price lines; a replaced one is not shown any more. Two queries."""
    rows = booking.assignments.select_related("unit__unit_class__kind__gpu_model", "unit__unit_class__site").prefetch_related("interruptions")
    is_over = booking.state in lifecycle.BOOKING.final
    untouched = booking.state in (Booking.State.HELD, Booking.State.CONFIRMED)
    return [_server(row, untouched) for row in rows.order_by("line", "unit__label", "pk") if row.live or (is_over and row.handed_back_at)]


def cost_of(*, booking: Booking, price: pricing.Preview, now: datetime) -> Cost | None:
    """None for a hold, and for one that was let go of or ran out: nothing was bought."""
    if booking.state in (Booking.State.HELD, Booking.State.EXPIRED) or not booking.events.filter(key=Booking.State.CONFIRMED).exists():
        return None
    is_final = booking.state in lifecycle.BOOKING.final
    settled = settlements.ended(agreement=booking.agreement) if is_final else if_ended(booking=booking, now=now)
    return Cost(price.net, settled.served, settled.credit, is_final)


def if_ended(*, booking: Booking, now: datetime) -> settlements.Settlement:
    """What ending at `now` would come to: the time that was served, of each rented thing, and nothing before all of it was ready."""
    segments: dict[int, list[proration.Segment]] = defaultdict(list)
    for part in usage.so_far(booking, now):
        segments[part.line].append(proration.Segment(part.rental, part.during, part.quantity, part.kind))
    at = now if segments else booking.during.lower  # before it was active nothing is owed, however late it is
    return settlements.end_preview(agreement=booking.agreement, at=at, segments=segments)


def _server(row: Assignment, untouched: bool) -> ServerShown:
    kind, site = row.unit.unit_class.kind, row.unit.unit_class.site
    return ServerShown(
        label=row.unit.label,
        kind=bookings.name_of(kind),
        gpus=f"{kind.gpu_count} × {kind.gpu_model.name}" if kind.gpu_count else "",
        memory_gb=kind.memory_gb,
        site=site.name,
        zone=site.time_zone,
        state="reserved" if untouched else _state(row),
        ready_at=row.ready_at,
        handed_back_at=row.handed_back_at,
        command=_command(row.access) if row.handed_back_at is None else "",
        is_simulated=bool(row.access.get("simulated")),
    )


def _state(row: Assignment) -> str:
    if row.handed_back_at is not None:
        return "back"
    if any(interruption.ended_at is None for interruption in row.interruptions.all()):
        return "gone"
    return "ready" if row.ready_at is not None else "waiting"


def _command(access: dict[str, Any]) -> str:
    if not access.get("host"):
        return ""
    port = f" -p {access['port']}" if access.get("port", 22) != 22 else ""
    return f"ssh {access['login']}@{access['host']}{port}"
