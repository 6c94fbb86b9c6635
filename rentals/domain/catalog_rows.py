"""The rows of data/*.csv, typed. Text that is no such row is refused by file, row and column, all problems at once; so are names that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from portal.kernel.errors import InvalidInput
from rentals.domain import cells
from rentals.domain.cells import column


class BadCatalog(InvalidInput):
    """The catalog's data files cannot be used."""

    code = "bad_catalog"

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class GpuModel:
    KEY: ClassVar[tuple[str, ...]] = ("slug",)
    slug: str = column(cells.word)
    name: str = column(cells.text)
    family: str = column(cells.text)
    form_factor: str = column(cells.text)
    architecture: str = column(cells.text)
    memory_gb: int = column(cells.at_least_one)
    memory_type: str = column(cells.text)
    memory_bandwidth_gbs: int = column(cells.at_least_one)
    fp64_tflops: Decimal | None = column(cells.maybe_decimal)
    fp32_tflops: Decimal | None = column(cells.maybe_decimal)
    tf32_tflops: Decimal | None = column(cells.maybe_decimal)
    fp16_tflops: Decimal | None = column(cells.maybe_decimal)
    bf16_tflops: Decimal | None = column(cells.maybe_decimal)
    fp8_tflops: Decimal | None = column(cells.maybe_decimal)
    int8_tops: Decimal | None = column(cells.maybe_decimal)
    tdp_w: int = column(cells.at_least_one)
    nvlink_gbs: Decimal | None = column(cells.maybe_decimal)
    pcie_generation: int = column(cells.at_least_one)
    compute_capability: str = column(cells.text)
    mig_instances: int = column(cells.whole)
    release_year: int = column(cells.at_least_one)
    note: str = column(cells.any_text)
    source: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class Interconnect:
    """How the accelerators of a server reach one another. GB/s: `gbs_per_link` per direction, `gbs_per_gpu` both directions over all links."""

    KEY: ClassVar[tuple[str, ...]] = ("slug",)
    slug: str = column(cells.word)
    name: str = column(cells.text)
    shape: str = column(cells.one_of("switch", "mesh", "pcie", "c2c"))
    gpus: int = column(cells.at_least_one)
    fabric: str = column(cells.text)
    links_per_gpu: int = column(cells.whole)
    gbs_per_link: Decimal | None = column(cells.maybe_decimal)
    gbs_per_gpu: Decimal | None = column(cells.maybe_decimal)
    switches: int = column(cells.whole)
    bisection_gbs: Decimal | None = column(cells.maybe_decimal)
    links: tuple[tuple[int, int, int], ...] = column(cells.link_list)
    host_link: str = column(cells.text)
    host_gbs: Decimal = column(cells.decimal)
    scale_out: str = column(cells.text)
    source: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class MigProfile:
    """An instance occupies `[start, start + memory_slices)` of the 8 memory slices of a GPU, for a start in `starts`."""

    KEY: ClassVar[tuple[str, ...]] = ("gpu_model", "profile")
    gpu_model: str = column(cells.word)
    profile: str = column(cells.text)
    compute_slices: int = column(cells.at_least_one)
    memory_slices: int = column(cells.at_least_one)
    memory_mib: int = column(cells.at_least_one)
    most: int = column(cells.at_least_one)
    starts: tuple[int, ...] = column(cells.numbers)
    sm: int = column(cells.at_least_one)
    note: str = column(cells.any_text)
    source: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class ServerModel:
    KEY: ClassVar[tuple[str, ...]] = ("slug",)
    slug: str = column(cells.word)
    name: str = column(cells.text)
    cpu: str = column(cells.text)
    cpu_cores: int = column(cells.at_least_one)
    memory_gb: int = column(cells.at_least_one)
    nvme_tb: Decimal = column(cells.decimal)
    nvme_disks: int = column(cells.whole)
    nic: str = column(cells.text)
    nics: int = column(cells.whole)
    nic_gbit: int = column(cells.whole)
    interconnect: str = column(cells.word)
    interconnect_name: str = column(cells.text)
    interconnect_gbs: Decimal | None = column(cells.maybe_decimal)
    power_kw: Decimal = column(cells.decimal)
    source: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class ServerModelGpu:
    KEY: ClassVar[tuple[str, ...]] = ("server_model", "first")
    server_model: str = column(cells.word)
    gpu_model: str = column(cells.word)
    count: int = column(cells.at_least_one)
    first: int = column(cells.whole)


@dataclass(frozen=True, slots=True)
class UnitKind:
    KEY: ClassVar[tuple[str, ...]] = ("sku",)
    sku: str = column(cells.word)
    name: str = column(cells.text)
    name_zh: str = column(cells.text)
    shape: str = column(cells.one_of("whole", "partition", "mig"))
    server_model: str = column(cells.word)
    gpu_model: str = column(cells.word)
    gpu_count: int = column(cells.at_least_one)
    mig_profile: str = column(cells.any_text)
    memory_slices: int | None = column(cells.maybe_whole)
    memory_gb: int = column(cells.at_least_one)
    cpu_cores: int | None = column(cells.maybe_whole)
    ram_gb: int | None = column(cells.maybe_whole)
    nvme_tb: Decimal | None = column(cells.maybe_decimal)


@dataclass(frozen=True, slots=True)
class Configuration:
    KEY: ClassVar[tuple[str, ...]] = ("sku",)
    sku: str = column(cells.word)
    name: str = column(cells.text)
    name_zh: str = column(cells.text)
    summary: str = column(cells.text)
    summary_zh: str = column(cells.text)
    template: str = column(cells.one_of("single_node", "hybrid", "train_serve", "mig", "cluster", "heterogeneous"))
    good_for: str = column(cells.any_text)
    good_for_zh: str = column(cells.any_text)
    minimum_hours: int = column(cells.at_least_one)
    maximum_hours: int = column(cells.at_least_one)
    horizon_days: int = column(cells.at_least_one)
    same_fabric: bool = column(cells.yes_no)
    elastic: bool = column(cells.yes_no)
    rank: int = column(cells.whole)
    source: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class Component:
    KEY: ClassVar[tuple[str, ...]] = ("configuration", "unit_kind")
    configuration: str = column(cells.word)
    unit_kind: str = column(cells.word)
    count: int = column(cells.at_least_one)
    role: str = column(cells.any_text)
    position: int = column(cells.whole)


@dataclass(frozen=True, slots=True)
class Image:
    KEY: ClassVar[tuple[str, ...]] = ("slug",)
    slug: str = column(cells.word)
    name: str = column(cells.text)
    login: str = column(cells.word)
    rank: int = column(cells.whole)


@dataclass(frozen=True, slots=True)
class StorageClass:
    KEY: ClassVar[tuple[str, ...]] = ("sku",)
    sku: str = column(cells.word)
    name: str = column(cells.text)
    name_zh: str = column(cells.text)
    capacity_tb: int = column(cells.at_least_one)
    step_tb: int = column(cells.at_least_one)
    maximum_tb: int = column(cells.at_least_one)


@dataclass(frozen=True, slots=True)
class Price:
    KEY: ClassVar[tuple[str, ...]] = ("sku", "currency", "valid_from")
    sku: str = column(cells.word)
    currency: str = column(cells.currency_code)
    unit: str = column(cells.one_of("hour", "tb_hour"))
    rate: Decimal = column(cells.decimal)
    granule_seconds: int = column(cells.at_least_one)
    minimum_seconds: int = column(cells.whole)
    valid_from: datetime = column(cells.moment)
    source: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class TermDiscount:
    KEY: ClassVar[tuple[str, ...]] = ("from_hours",)
    from_hours: int = column(cells.at_least_one)
    percent: Decimal = column(cells.decimal)


@dataclass(frozen=True, slots=True)
class Site:
    KEY: ClassVar[tuple[str, ...]] = ("slug",)
    slug: str = column(cells.word)
    name: str = column(cells.text)
    country: str = column(cells.text)
    time_zone: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class Fabric:
    KEY: ClassVar[tuple[str, ...]] = ("slug",)
    slug: str = column(cells.word)
    site: str = column(cells.word)
    name: str = column(cells.text)


@dataclass(frozen=True, slots=True)
class Cut:
    """One Unit of a layout: of which kind, from which GPU of the server and which of its memory slices on."""

    KEY: ClassVar[tuple[str, ...]] = ("layout", "gpu", "start")
    layout: str = column(cells.word)
    server_model: str = column(cells.word)
    unit_kind: str = column(cells.word)
    gpu: int = column(cells.whole)
    start: int = column(cells.whole)


@dataclass(frozen=True, slots=True)
class Server:
    KEY: ClassVar[tuple[str, ...]] = ("serial",)
    serial: str = column(cells.word)
    server_model: str = column(cells.word)
    site: str = column(cells.word)
    fabric: str = column(cells.word)
    rack: str = column(cells.text)
    position: int = column(cells.at_least_one)
    bmc_address: str = column(cells.any_text)
    layout: str = column(cells.any_text)


FILES: dict[str, type] = {
    "gpu_models": GpuModel,
    "interconnects": Interconnect,
    "mig_profiles": MigProfile,
    "server_models": ServerModel,
    "server_model_gpus": ServerModelGpu,
    "unit_kinds": UnitKind,
    "configurations": Configuration,
    "components": Component,
    "images": Image,
    "storage_classes": StorageClass,
    "prices": Price,
    "term_discounts": TermDiscount,
    "sites": Site,
    "fabrics": Fabric,
    "layouts": Cut,
    "fleet": Server,
}
# file, column -> the file and column that must know the name; an empty cell names nothing
REFERENCES: tuple[tuple[str, str, str, str], ...] = (
    ("mig_profiles", "gpu_model", "gpu_models", "slug"),
    ("server_models", "interconnect", "interconnects", "slug"),
    ("server_model_gpus", "server_model", "server_models", "slug"),
    ("server_model_gpus", "gpu_model", "gpu_models", "slug"),
    ("unit_kinds", "server_model", "server_models", "slug"),
    ("unit_kinds", "gpu_model", "gpu_models", "slug"),
    ("components", "configuration", "configurations", "sku"),
    ("components", "unit_kind", "unit_kinds", "sku"),
    ("fabrics", "site", "sites", "slug"),
    ("layouts", "server_model", "server_models", "slug"),
    ("layouts", "unit_kind", "unit_kinds", "sku"),
    ("fleet", "server_model", "server_models", "slug"),
    ("fleet", "site", "sites", "slug"),
    ("fleet", "fabric", "fabrics", "slug"),
    ("fleet", "layout", "layouts", "layout"),
)
Tables = dict[str, list[Any]]


def read_all(files: Mapping[str, Iterable[Mapping[str, str | None]]]) -> Tables:
    """Every file's rows by its name in FILES. Raises BadCatalog with each problem as "file.csv, row 3, column tdp_w: 'x' is not a whole number"."""
    problems: list[str] = []
    tables: Tables = {name: cells.read(name, FILES[name], rows, problems) for name, rows in files.items()}
    if not problems:
        _check_references(tables, problems)
    if problems:
        raise BadCatalog(problems)
    return tables


def _check_references(tables: Tables, problems: list[str]) -> None:
    for name, column_name, target, target_column in REFERENCES:
        known = {getattr(row, target_column) for row in tables.get(target, [])}
        for number, row in enumerate(tables.get(name, []), start=2):
            cell = getattr(row, column_name)
            if cell and cell not in known:
                problems.append(f"{name}.csv, row {number}, column {column_name}: {target}.csv has no {cell!r}")
    skus = {row.sku for name in ("unit_kinds", "storage_classes") for row in tables.get(name, [])}
    for number, row in enumerate(tables.get("prices", []), start=2):
        if row.sku not in skus:
            problems.append(f"prices.csv, row {number}, column sku: nothing that is sold is called {row.sku!r}")
