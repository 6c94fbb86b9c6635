"""Loading what is sold from the data files: facts, Configurations, places and list prices; in a demo also the servers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import models, transaction

from billing.services import prices
from portal.accounts.services import audit
from portal.kernel.errors import Conflict
from rentals.models import (
    Component,
    Configuration,
    Fabric,
    GpuModel,
    Image,
    Interconnect,
    Server,
    ServerModel,
    ServerModelGpu,
    Site,
    StorageClass,
    UnitKind,
)
from rentals.services import inventory, reference


class ComponentInUse(Conflict):
    """A component that the files no longer hold has been booked. Offer the new composition as a Configuration with another sku."""

    code = "component_in_use"


@transaction.atomic
def load(*, now: datetime, by: Any = None) -> dict[str, int]:
    """Write the data files over the catalog and publish their prices; rows that the files do not name stay. A repeat changes nothing.

    Returns how many rows each file has. Raises BadCatalog for nonsense in a file, ComponentInUse, PricePublished.
    """
    rows = reference.tables()
    _put(GpuModel, rows["gpu_models"], ["slug"])
    _put(Interconnect, rows["interconnects"], ["slug"])
    _put(ServerModel, rows["server_models"], ["slug"])
    _put(ServerModelGpu, rows["server_model_gpus"], ["server_model", "first"], server_model=_ids(ServerModel, "slug"), gpu_model=_ids(GpuModel, "slug"))
    _put(UnitKind, rows["unit_kinds"], ["sku"], server_model=_ids(ServerModel, "slug"), gpu_model=_ids(GpuModel, "slug"))
    _put(Configuration, rows["configurations"], ["sku"])
    _put(Component, rows["components"], ["configuration", "unit_kind"], configuration=_ids(Configuration, "sku"), unit_kind=_ids(UnitKind, "sku"))
    _drop_old_components(rows["components"], rows["configurations"])
    _put(Image, rows["images"], ["slug"])
    _put(StorageClass, rows["storage_classes"], ["sku"])
    _put(Site, rows["sites"], ["slug"])
    _put(Fabric, rows["fabrics"], ["slug"], site=_ids(Site, "slug"))
    _publish(rows, now, by)
    counts = {name: len(found) for name, found in rows.items()}
    audit.record(verb="catalog.loaded", subject="catalog", by=by, now=now, rows=counts)
    return counts


@transaction.atomic
def add_demo_fleet(*, now: datetime, by: Any = None) -> int:
    """Enrol the servers of fleet.csv that are not there yet, verified and for sale at once. Returns how many were added."""
    present = set(Server.objects.values_list("serial", flat=True))
    models_, sites, fabrics = (_rows_by_slug(model) for model in (ServerModel, Site, Fabric))
    added = [row for row in reference.tables()["fleet"] if row.serial not in present]
    for row in added:
        inventory.add_server(
            serial=row.serial,
            model=models_[row.server_model],
            site=sites[row.site],
            fabric=fabrics[row.fabric],
            rack=row.rack,
            position=row.position,
            bmc_address=row.bmc_address,
            engine="simulated",
            layout=row.layout,
            by=by,
            now=now,
            verified=True,
        )
    return len(added)


def _put(model: type[models.Model], rows: Iterable[Any], key: list[str], **ids: dict[str, int]) -> None:
    """Insert or update one row of `model` for each typed row; a column named in `ids` holds a name that becomes the primary key of another row."""
    names = [field.name for field in dataclasses.fields(next(iter(rows)))]
    attributes = {name: f"{name}_id" if name in ids else name for name in names}
    value: Callable[[Any, str], Any] = lambda row, name: ids[name][getattr(row, name)] if name in ids else getattr(row, name)  # noqa: E731
    model._default_manager.bulk_create(
        [model(**{attributes[name]: value(row, name) for name in names}) for row in rows],
        update_conflicts=True,
        unique_fields=key,
        update_fields=[name for name in names if name not in key] or key[:1],
    )


def _ids(model: type[models.Model], name: str) -> dict[str, int]:
    return dict(model._default_manager.values_list(name, "pk"))


def _rows_by_slug(model: Any) -> dict[str, Any]:
    return {row.slug: row for row in model._default_manager.all()}


def _drop_old_components(components: Iterable[Any], configurations: Iterable[Any]) -> None:
    """A Configuration of the files has the components of the files and no others."""
    wanted = {(row.configuration, row.unit_kind) for row in components}
    present = Component.objects.filter(configuration__sku__in=[row.sku for row in configurations]).select_related("configuration", "unit_kind")
    old = [row.pk for row in present if (row.configuration.sku, row.unit_kind.sku) not in wanted]
    try:
        Component.objects.filter(pk__in=old).delete()
    except models.ProtectedError as error:
        raise ComponentInUse() from error


def _publish(rows: dict[str, list[Any]], now: datetime, by: Any) -> None:
    for row in rows["prices"]:
        prices.publish(**{field.name: getattr(row, field.name) for field in dataclasses.fields(row)}, by=by, now=now)
    prices.publish_term_discounts(steps={row.from_hours: row.percent for row in rows["term_discounts"]}, by=by, now=now)
