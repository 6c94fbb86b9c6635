"""The catalog: what is offered, at which price, free when. The number of queries does not grow with the number of Configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal

from django.db.models import QuerySet
from django.utils import translation

from billing import queries as billing
from billing.domain import pricing
from portal.kernel.money import Money, total
from portal.kernel.period import Period
from rentals.domain import days, offers
from rentals.domain.availability import Availability
from rentals.models import Component
from rentals.queries import availability

SPARK_DAYS = 14


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom the catalog is shown: currency of the prices, zone of the days, the dates he asked for, and the currency that he need not ask for."""

    currency: str
    zone: tzinfo
    now: datetime
    wanted: Period | None = None
    usual_currency: str = ""


def listing(*, filters: offers.Filters, viewer: Viewer) -> offers.Selection:
    """Everything on offer that passes `filters`, in order, with the options of each facet. Four queries."""
    return offers.select(everything(viewer=viewer), filters)


def everything(*, viewer: Viewer) -> list[offers.Offer]:
    """All that is offered, in the order of its rank."""
    parts = parts_of(Component.objects.filter(configuration__is_offered=True))
    return offers_of(parts, viewer, rates_of(parts, viewer), SPARK_DAYS)


Parts = dict[int, list[Component]]


def parts_of(components: QuerySet[Component]) -> Parts:
    """The components with all their facts, by Configuration, in the order of its rank. One query."""
    rows = components.select_related("configuration", "unit_kind__server_model", "unit_kind__gpu_model")
    parts: Parts = {}
    for row in rows.order_by("configuration__rank", "configuration__sku", "position", "pk"):
        parts.setdefault(row.configuration_id, []).append(row)
    return parts


def rates_of(parts: Parts, viewer: Viewer) -> dict[str, pricing.Rate]:
    """The list price of each kind that has one in the viewer's currency. One query."""
    return billing.list_rates(skus={row.unit_kind.sku for rows in parts.values() for row in rows}, currency=viewer.currency, now=viewer.now)


def offers_of(parts: Parts, viewer: Viewer, rates: dict[str, pricing.Rate], shown_days: int) -> list[offers.Offer]:
    """The Offer of each Configuration with its next `shown_days` days in the viewer's zone. Two queries."""
    configurations = [rows[0].configuration for rows in parts.values()]
    today = viewer.now.astimezone(viewer.zone).date()
    found = availability.availability_of(
        configurations=configurations,
        span=Period(viewer.now, days.span_of(today, shown_days, viewer.zone).end),
        now=viewer.now,
        during=viewer.wanted,
        needs={pk: [(row.unit_kind.sku, row.count) for row in rows] for pk, rows in parts.items()},
    )
    return [_offer(parts[each.pk], found[each.sku], rates, days.days_of(found[each.sku], today, shown_days, viewer.zone)) for each in configurations]


def _offer(rows: Sequence[Component], found: Availability, rates: dict[str, pricing.Rate], shown: tuple[offers.Day, ...]) -> offers.Offer:
    configuration, first = rows[0].configuration, rows[0].unit_kind
    in_chinese = in_chinese_now()
    return offers.Offer(
        sku=configuration.sku,
        name=configuration.name_zh if in_chinese else configuration.name,
        other_name=configuration.name if in_chinese else configuration.name_zh,
        summary=configuration.summary_zh if in_chinese else configuration.summary,
        template=configuration.template,
        rank=configuration.rank,
        gpus=tuple(_group(row) for row in rows),
        memory_gb=sum(row.count * row.unit_kind.memory_gb for row in rows),
        link=offers.NO_LINK if first.memory_slices else first.server_model.interconnect_name,
        link_gbs=None if first.memory_slices else first.server_model.interconnect_gbs,
        ram_gb=sum(row.count * row.unit_kind.share[1] for row in rows),
        nvme_tb=sum((row.count * row.unit_kind.share[2] for row in rows), Decimal(0)),
        rate=_rate(rows, rates),
        total=found.total,
        starts_at=found.starts_at,
        free_now=found.free_now,
        next_free_at=found.next_free_at,
        days=shown,
        free_during=found.free_during,
    )


def in_chinese_now() -> bool:
    return (translation.get_language() or "").startswith("zh")


def _group(row: Component) -> offers.GpuGroup:
    kind, gpu = row.unit_kind, row.unit_kind.gpu_model
    memory = kind.memory_gb if kind.memory_slices else gpu.memory_gb
    return offers.GpuGroup(gpu.family, gpu.name, row.count * kind.gpu_count, memory, kind.memory_slices or 0, row.role)


def _rate(rows: Sequence[Component], rates: dict[str, pricing.Rate]) -> Money | None:
    """The sum over the components; None when one of them has no price: a part of a price is no price."""
    priced = [(row.count, rates[row.unit_kind.sku].amount) for row in rows if row.unit_kind.sku in rates]
    if len(priced) < len(rows):
        return None
    return total([amount * count for count, amount in priced], priced[0][1].currency)
