"""Servers coming, going and being cut into Units."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from portal.accounts.services import audit
from portal.kernel.errors import Conflict
from rentals.domain import layouts
from rentals.models import Accelerator, Fabric, Server, ServerModel, Site, Unit, UnitClass, UnitKind
from rentals.services import reference

SLOTS_PER_GPU = layouts.SLOTS_PER_GPU
# prepare lead and turn-over of a new UnitClass: a MIG instance is made and wiped without a reboot of the Server
LEADS = {
    UnitKind.Shape.WHOLE: (timedelta(minutes=10), timedelta(minutes=30)),
    UnitKind.Shape.PARTITION: (timedelta(minutes=10), timedelta(minutes=30)),
    UnitKind.Shape.MIG: (timedelta(minutes=2), timedelta(minutes=5)),
}


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
    by: Any,
    now: datetime,
    position: int = 1,
    layout: str = "",
    verified: bool = False,
) -> Server:
    """Enrol a Server with its accelerators and its Units: one for the whole of it, or those of the named `layout` of its model. It is sold from `available`
    on: at once when `verified` (it has never had a tenant), else after validation. Raises SerialTaken, UnknownLayout, LayoutRefused, MigRefused."""
    pieces = _pieces(model, layout)
    try:
        with transaction.atomic():
            server = Server.objects.create(
                serial=serial,
                model=model,
                site=site,
                fabric=fabric,
                rack=rack,
                position=position,
                bmc_address=bmc_address,
                engine=engine,
                state=Server.State.AVAILABLE if verified else Server.State.ENROLLED,
                state_since=now,
            )
            _add_accelerators(server)
            _add_units(server, pieces, now)
            audit.record(verb="server.added", subject=serial, by=by, now=now, model=model.slug, layout=layout)
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


def _pieces(model: ServerModel, layout: str) -> list[layouts.Piece]:
    parts = list(model.gpus.select_related("gpu_model"))
    gpus = sum(part.count for part in parts)
    if not layout:
        kind = UnitKind.objects.get(server_model=model, shape=UnitKind.Shape.WHOLE)
        return [layouts.Piece(kind.sku, 0, gpus * SLOTS_PER_GPU, "")]
    profiles = {name: profile for part in parts for name, profile in reference.mig_profiles(gpu_model=part.gpu_model.slug).items()}
    return layouts.pieces(reference.cuts_of(layout=layout, server_model=model.slug), gpus=gpus, profiles=profiles)


def _add_units(server: Server, pieces: list[layouts.Piece], now: datetime) -> None:
    kinds = UnitKind.objects.in_bulk({piece.sku for piece in pieces}, field_name="sku")
    classes = {sku: _unit_class(kind, server) for sku, kind in sorted(kinds.items())}
    Unit.objects.bulk_create(
        Unit(
            server=server,
            unit_class=classes[piece.sku],
            slots=(piece.first, piece.after),
            label=f"{server.serial}/{piece.label}".rstrip("/")[:40],
            in_service_from=now,
        )
        for piece in pieces
    )


def _unit_class(kind: UnitKind, server: Server) -> UnitClass:
    lead, turn_over = LEADS[UnitKind.Shape(kind.shape)]
    faster = settings.ENGINE_SPEED if server.engine == "simulated" else 1
    defaults = {"prepare_lead": lead / faster, "turn_over": turn_over / faster}
    return UnitClass.objects.get_or_create(kind=kind, site=server.site, fabric=server.fabric, defaults=defaults)[0]
