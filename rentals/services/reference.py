"""The data files that come with the portal (rentals/data/*.csv): read once a process, typed and checked by domain.catalog_rows."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from rentals.domain import catalog_rows, layouts, mig

FOLDER = Path(__file__).resolve().parent.parent / "data"


class UnknownLayout(layouts.LayoutRefused):
    """There is no such layout for this server model."""

    code = "unknown_layout"


@cache
def tables() -> catalog_rows.Tables:
    """All rows by file. Raises BadCatalog."""
    files = {}
    for name in catalog_rows.FILES:
        with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            files[name] = list(csv.DictReader(lines))
    return catalog_rows.read_all(files)


def mig_profiles(*, gpu_model: str) -> dict[str, mig.Profile]:
    """The MIG profiles of a GPU model by name; none for a GPU without MIG."""
    return {
        row.profile: mig.Profile(row.profile, row.compute_slices, row.memory_slices, row.starts, row.most)
        for row in tables()["mig_profiles"]
        if row.gpu_model == gpu_model
    }


def layouts_for(*, server_model: str) -> list[str]:
    """The names of the layouts that a server of this model can be cut by."""
    return sorted({row.layout for row in tables()["layouts"] if row.server_model == server_model})


def cuts_of(*, layout: str, server_model: str) -> list[layouts.Cut]:
    """The Units of a layout. Raises UnknownLayout."""
    kinds = {row.sku: layouts.Kind(row.sku, row.gpu_count, row.mig_profile) for row in tables()["unit_kinds"]}
    rows = [row for row in tables()["layouts"] if row.layout == layout and row.server_model == server_model]
    if not rows:
        raise UnknownLayout(field="layout")
    return [layouts.Cut(kinds[row.unit_kind], row.gpu, row.start) for row in rows]
