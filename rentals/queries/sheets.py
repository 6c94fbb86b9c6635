"""The page of one Configuration: what it is, with sources; its drawing; prices and terms; when it is free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from billing import queries as billing
from billing.domain import pricing
from portal.kernel.errors import NotFound
from portal.kernel.money import Money
from rentals.domain import offers, topology
from rentals.models import Component, Configuration, Interconnect, UnitKind
from rentals.queries import catalog

HEAT_WEEKS = 4
MOST_NODES = 4  # a drawing of more servers than this shows the first and says how many there are


@dataclass(frozen=True, slots=True)
class Part:
    """One component: its kind with GPU and server facts, what of the server comes with it, and the numbers under which its sources are listed."""

    kind: UnitKind
    name: str
    count: int
    role: str
    cores: int
    ram_gb: int
    nvme_tb: Decimal
    interconnect: Interconnect | None
    rate: pricing.Rate | None
    gpu_source: int = 0
    server_source: int = 0
    link_source: int = 0

    @property
    def line_rate(self) -> Money | None:
        return None if self.rate is None else self.rate.amount * self.count


@dataclass(frozen=True, slots=True)
class Term:
    """From so many hours on, so much off, which makes so much an hour."""

    from_hours: int
    percent: Decimal
    rate: Money | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """`weeks` are rows of seven days from Monday on, None before today. `granule` and `minimum` are None without a price."""

    offer: offers.Offer
    configuration: Configuration
    good_for: str
    parts: tuple[Part, ...]
    sources: tuple[str, ...]
    drawing: topology.Drawing
    drawing_text: str
    terms: tuple[Term, ...]
    weeks: tuple[tuple[offers.Day | None, ...], ...]
    shortest: timedelta
    longest: timedelta
    granule: timedelta | None
    minimum: timedelta | None


def sheet_of(*, sku: str, viewer: catalog.Viewer) -> Sheet:
    """Everything on the page of the Configuration called `sku`. Raises NotFound when it is not on offer."""
    rows = catalog.parts_of(Component.objects.filter(configuration__is_offered=True, configuration__sku=sku))
    if not rows:
        raise NotFound
    first = viewer.now.astimezone(viewer.zone).date()
    shown = HEAT_WEEKS * 7 - first.weekday() + 7
    rates = catalog.rates_of(rows, viewer)
    (offer,) = catalog.offers_of(rows, viewer, rates, shown)
    (components,) = rows.values()
    parts, sources = _parts(components, rates)
    configuration = components[0].configuration
    return Sheet(
        offer=offer,
        configuration=configuration,
        good_for=configuration.good_for_zh if catalog.in_chinese_now() else configuration.good_for,
        parts=parts,
        sources=sources,
        drawing=draw(parts, configuration.same_fabric),
        drawing_text=_in_words(parts),
        terms=tuple(_terms(offer.rate)),
        weeks=_weeks(offer.days),
        shortest=timedelta(hours=configuration.minimum_hours),
        longest=timedelta(hours=configuration.maximum_hours),
        granule=_longest([rate.granule_seconds for rate in rates.values()]),
        minimum=_longest([rate.minimum_seconds for rate in rates.values()]),
    )


def _parts(components: Sequence[Component], rates: dict[str, pricing.Rate]) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    wired = Interconnect.objects.in_bulk({row.unit_kind.server_model.interconnect for row in components}, field_name="slug")
    sources: list[str] = []

    def cite(text: str) -> int:
        if text not in sources:
            sources.append(text)
        return sources.index(text) + 1

    parts = []
    for row in components:
        kind = row.unit_kind
        cores, ram_gb, nvme_tb = kind.share
        interconnect = wired.get(kind.server_model.interconnect)
        parts.append(
            Part(
                kind=kind,
                name=kind.name_zh if catalog.in_chinese_now() else kind.name,
                count=row.count,
                role=row.role,
                cores=cores,
                ram_gb=ram_gb,
                nvme_tb=nvme_tb,
                interconnect=interconnect,
                rate=rates.get(kind.sku),
                gpu_source=cite(kind.gpu_model.source),
                server_source=cite(kind.server_model.source),
                link_source=cite(interconnect.source) if interconnect else 0,
            )
        )
    return tuple(parts), tuple(sources)


def draw(parts: Iterable[Part], same_fabric: bool) -> topology.Drawing:
    """The drawing of the parts, joined by their fabric when they must share one."""
    nodes = [_node(part) for part in parts for _index in range(min(part.count, MOST_NODES))]
    networks = dict.fromkeys(part.kind.server_model.nic.partition("× ")[2] for part in parts)
    return topology.draw(nodes, " / ".join(networks) if same_fabric and len(nodes) > 1 else "")


def _node(part: Part) -> topology.Node:
    kind, server = part.kind, part.kind.server_model
    profile = kind.mig_profile
    return topology.Node(
        title=part.name,
        family=kind.gpu_model.family,
        gpus=_gpus_of_server(part),
        count=kind.gpu_count,
        wiring=_wiring(part),
        host=f"{server.cpu} · {part.ram_gb:,} GB RAM",
        nics=0 if profile else server.nics,
        nic_label=server.nic,
        slices=(0, kind.memory_slices or 1) if profile else None,
        compute=int(profile.partition("g")[0]) if profile else 0,
    )


def _gpus_of_server(part: Part) -> int:
    whole = part.interconnect.gpus if part.interconnect else part.kind.gpu_count
    return max(whole, part.kind.gpu_count) if part.kind.shape == UnitKind.Shape.PARTITION else part.kind.gpu_count


def _wiring(part: Part) -> topology.Wiring:
    facts, server = part.interconnect, part.kind.server_model
    label = server.interconnect_name + (f" · {_plain(server.interconnect_gbs)} GB/s" if server.interconnect_gbs else "")
    if facts is None:
        return topology.Wiring("pcie", label)
    return topology.Wiring(
        shape=facts.shape,
        label=label if server.interconnect_gbs else f"{server.interconnect_name} · {_plain(facts.host_gbs * 2)} GB/s",
        links=tuple((one, other, count) for one, other, count in facts.links),
        gbs_per_link=facts.gbs_per_link or Decimal(0),
        gbs_per_gpu=facts.gbs_per_gpu or Decimal(0),
        host_gbs=facts.host_gbs,
    )


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _in_words(parts: Iterable[Part]) -> str:
    """The drawing as sentences, for those who do not see it."""
    sentences = []
    for part in parts:
        facts = {
            "count": part.count,
            "gpus": part.kind.gpu_count,
            "gpu": part.kind.gpu_model.name,
            "link": _wiring(part).label,
            "nic": part.kind.server_model.nic,
        }
        if part.kind.mig_profile:
            sentences.append(
                _("One MIG instance %(profile)s of %(gpu)s: %(slices)s of 8 memory slices.")
                % {"profile": part.kind.mig_profile, "gpu": facts["gpu"], "slices": part.kind.memory_slices}
            )
        else:
            sentences.append(
                ngettext(
                    "%(count)s server with %(gpus)s × %(gpu)s, %(link)s, %(nic)s.",
                    "%(count)s servers with %(gpus)s × %(gpu)s each, %(link)s, %(nic)s.",
                    part.count,
                )
                % facts
            )
    return " ".join(sentences)


def _terms(rate: Money | None) -> list[Term]:
    return [
        Term(step.from_hours, step.percent, None if rate is None else Money(rate.amount * (100 - step.percent) / 100, rate.currency))
        for step in billing.term_steps()
    ]


def _longest(seconds: Sequence[int]) -> timedelta | None:
    return timedelta(seconds=max(seconds)) if seconds else None


def _weeks(shown: Sequence[offers.Day]) -> tuple[tuple[offers.Day | None, ...], ...]:
    cells: list[offers.Day | None] = [None] * shown[0].on.weekday() + list(shown)
    return tuple(tuple(cells[start : start + 7]) for start in range(0, len(cells), 7))
