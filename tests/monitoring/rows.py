"""Running Bookings for the tests of monitoring, as rows: how they come to run is rentals' own matter and tested there."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange, NumericRange

from monitoring.models import Agent
from monitoring.services import agents
from rentals.models import Assignment, Booking, Component, Configuration, Server, Unit, UnitClass, UnitKind

HOUR = timedelta(hours=1)


def running(cast, racks, now: datetime, *serials: str, organisation=None, configuration: Configuration | None = None) -> Booking:
    """An active Booking of whole Servers (srv-a1 when none is named), handed over an hour ago, with a day to go."""
    booking = Booking.objects.create(
        organisation=organisation or cast.lab,
        booked_by=cast.ada,
        configuration=configuration or racks.a100x8,
        quantity=max(1, len(serials)),
        during=DateTimeTZRange(now - HOUR, now + 24 * HOUR),
        state=Booking.State.ACTIVE,
        state_since=now - HOUR,
        image=racks.image,
        created_at=now - 2 * HOUR,
    )
    for serial in serials or ("srv-a1",):
        assign(booking, Unit.objects.get(server__serial=serial, unit_class__kind__shape="whole"), now)
    return booking


def assign(booking: Booking, unit: Unit, now: datetime) -> Assignment:
    during = DateTimeTZRange(now - HOUR, now + 24 * HOUR)
    component = Component.objects.filter(configuration=booking.configuration).first()
    return Assignment.objects.create(
        booking=booking, component=component, unit=unit, unit_class=unit.unit_class, server=unit.server, slots=unit.slots, during=during,
        guarded=DateTimeTZRange(now - 2 * HOUR, now + 25 * HOUR), ready_at=now - HOUR,
    )  # fmt: skip


def part(server: Server, lower: int, upper: int, now: datetime, *, shape: str = "partition", profile: str = "") -> Unit:
    """A Unit of a Server's slots from `lower` to `upper`."""
    whole = Unit.objects.filter(server=server, unit_class__kind__shape="whole").select_related("unit_class__kind").get()
    kind, _ = UnitKind.objects.get_or_create(
        sku=f"{whole.unit_class.kind.sku}-{shape}-{upper - lower}",
        defaults={
            "name": shape, "name_zh": shape, "shape": shape, "server_model": server.model, "gpu_model": whole.unit_class.kind.gpu_model,
            "gpu_count": max(1, (upper - lower) // 8), "mig_profile": profile, "memory_gb": 40,
        },
    )  # fmt: skip
    unit_class, _ = UnitClass.objects.get_or_create(
        kind=kind, site=server.site, fabric=server.fabric, defaults={"prepare_lead": timedelta(minutes=10), "turn_over": timedelta(minutes=30)}
    )
    return Unit.objects.create(server=server, unit_class=unit_class, slots=NumericRange(lower, upper), label=f"{lower}-{upper}", in_service_from=now)


def agent(serial: str, now: datetime, token: str = "") -> None:
    """An enrolled agent of a Server that need not exist."""
    Agent.objects.create(server=serial, token_hash=agents.token_hash(token=token or f"agt_{serial}"), created_at=now)
