"""Servers coming, going and being cut into Units."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from portal.accounts.services import audit
from portal.kernel.errors import Conflict
from rentals.models import Accelerator, Fabric, Server, ServerModel, Site, Unit, UnitClass, UnitKind

SLOTS_PER_GPU = 8


class SerialTaken(Conflict):
    """A server with this serial is in the fleet already."""

    code = "serial_taken"


def add_server(
    *,
    serial: str,
    model: ServerModel,
    site: Site,
    fabric: Fabric | None,
    rack: str,
    bmc_address: str,
    engine: str,
    by: object,
    now: datetime,
    verified: bool = False,
) -> Server:
    """Enrol a Server with its accelerators and one Unit for the whole of it. It is sold from `available` on: at once when `verified` (it has never had a
    tenant), else after validation. Raises SerialTaken."""
    try:
        with transaction.atomic():
            server = Server.objects.create(
                serial=serial,
                model=model,
                site=site,
                fabric=fabric,
                rack=rack,
                bmc_address=bmc_address,
                engine=engine,
                state=Server.State.AVAILABLE if verified else Server.State.ENROLLED,
                state_since=now,
            )
            _add_accelerators(server)
            _add_whole_unit(server, now)
            audit.record(verb="server.added", subject=serial, by=by, now=now, model=model.slug)
    except IntegrityError as error:
        raise SerialTaken(field="serial") from error
    return server


def _add_accelerators(server: Server) -> None:
    Accelerator.objects.bulk_create(
        Accelerator(
            server=server,
            position=part.first + index,
            gpu_model=part.gpu_model,
            uuid=f"GPU-{uuid.uuid5(uuid.NAMESPACE_OID, f'{server.serial}/{part.first + index}')}",
            bus_id=f"00000000:{0x10 + part.first + index:02X}:00.0",
        )
        for part in server.model.gpus.select_related("gpu_model")
        for index in range(part.count)
    )


def _add_whole_unit(server: Server, now: datetime) -> None:
    kind = UnitKind.objects.get(server_model=server.model, shape=UnitKind.Shape.WHOLE)
    unit_class, _ = UnitClass.objects.get_or_create(
        kind=kind, site=server.site, fabric=server.fabric, defaults={"prepare_lead": timedelta(minutes=10), "turn_over": timedelta(minutes=30)}
    )
    slots = SLOTS_PER_GPU * sum(part.count for part in server.model.gpus.all())
    Unit.objects.create(server=server, unit_class=unit_class, slots=(0, slots), label=server.serial, in_service_from=now)
