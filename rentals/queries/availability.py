"""When is it free? What is offered here is what services.bookings admits: both decide on the pools of `pools_of`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.postgres.fields import IntegerRangeField
from django.db.models import BooleanField, Q, Value

from portal.kernel.period import Period
from rentals.domain import availability as domain
from rentals.domain import lifecycle, placement
from rentals.domain.stock import EVER, FOREVER, Block, Part, Pool, Reason, Stock, Unit, pool_of, stock_of
from rentals.models import Assignment, Component, Configuration, Maintenance
from rentals.models import Unit as UnitRow

Availability = domain.Availability


Needs = Mapping[int, Sequence[tuple[str, int]]]


def availability_of(
    *, configurations: Iterable[Configuration], span: Period, now: datetime, during: Period | None = None, needs: Needs | None = None
) -> dict[str, Availability]:
    """The Availability of each Configuration over `span` as of `now`, by sku; with `during` also how many can be had for all of it.

    Three queries, however many Configurations; two for a caller who knows what each `needs`: {primary key: [(sku of a kind, count), ...]}.
    """
    configurations = list(configurations)
    pools = pools_of(configurations=configurations, now=now, needs=needs)
    return {configuration.sku: _availability(configuration, pools[configuration.pk], span, now, during) for configuration in configurations}


def availability(*, configuration: Configuration, span: Period, now: datetime) -> Availability:
    """The Availability of one Configuration over `span` as of `now`."""
    return availability_of(configurations=[configuration], span=span, now=now)[configuration.sku]


def decision(*, configuration: Configuration, during: Period, quantity: int, now: datetime) -> domain.Admission | domain.Refusal:
    """Whether `quantity` pieces could be booked for `during` at this instant, and if not, why and what instead. Holds nothing."""
    pools = pools_of(configurations=[configuration], now=now)[configuration.pk]
    return domain.decide(pools, during, quantity, until=horizon(configuration, now))


def next_free(*, configuration: Configuration, length: timedelta, quantity: int, not_before: datetime, now: datetime) -> datetime | None:
    """The earliest start for `quantity` pieces for `length`; None when there is none within the horizon."""
    pools = pools_of(configurations=[configuration], now=now)[configuration.pk]
    return domain.earliest_start(pools, length, quantity, not_before=not_before, until=horizon(configuration, now))


def earliest_now(*, configuration: Configuration, now: datetime) -> datetime:
    """What "start now" means: the earliest start that leaves room for preparation, whether something is free then or not."""
    return _ready_at(pools_of(configurations=[configuration], now=now)[configuration.pk], now)


def horizon(configuration: Configuration, now: datetime) -> datetime:
    """The last start that is sold at `now`."""
    return now + timedelta(days=configuration.horizon_days)


def pools_of(
    *, configurations: Sequence[Configuration], now: datetime, without_booking: int | None = None, needs: Needs | None = None
) -> dict[int, list[Pool]]:
    """The pools that each Configuration, by primary key, can be served from: each Site, or Fabric where it must share one, that has all of its kinds.

    `without_booking` leaves a Booking's own Assignments out, for changing it. Three queries.
    """
    parts = _needs(configurations) if needs is None else needs
    standing = _standing({sku for wanted in parts.values() for sku, _ in wanted}, now, without_booking)
    return {
        configuration.pk: _pools(parts[configuration.pk], standing.fabrics if configuration.same_fabric else standing.sites, now)
        for configuration in configurations
    }


def _needs(configurations: Sequence[Configuration]) -> Needs:
    parts: dict[int, list[tuple[str, int]]] = defaultdict(list)
    rows = Component.objects.filter(configuration__in=configurations).order_by("position", "id")
    for configuration_id, sku, count in rows.values_list("configuration_id", "unit_kind__sku", "count"):
        parts[configuration_id].append((sku, count))
    return parts


@dataclass(frozen=True, slots=True)
class _Standing:
    """Stocks by place and kind."""

    sites: dict[str, dict[str, list[Stock]]]
    fabrics: dict[str, dict[str, list[Stock]]]


def _pools(parts: Sequence[tuple[str, int]], places: dict[str, dict[str, list[Stock]]], now: datetime) -> list[Pool]:
    return [
        pool_of(place, [Part(sku, count, tuple(stocks[sku])) for sku, count in parts], now)
        for place, stocks in sorted(places.items())
        if parts and all(sku in stocks for sku, _ in parts)
    ]


def _standing(kinds: set[str], now: datetime, without_booking: int | None) -> _Standing:
    rows = list(
        UnitRow.objects.filter(Q(in_service_until__isnull=True) | Q(in_service_until__gt=now), unit_class__kind__sku__in=kinds)
        .exclude(server__state="retired")
        .select_related("unit_class__kind", "unit_class__site", "unit_class__fabric", "server")
        .order_by("id")
    )
    blocks = _blocks({row.server_id for row in rows}, now, without_booking)
    standing = _Standing(defaultdict(dict), defaultdict(dict))
    for row in rows:
        unit_class, sku = row.unit_class, row.unit_class.kind.sku
        slots = (row.slots.lower, row.slots.upper)
        unit = Unit(row.pk, unit_class.pk, row.server_id, slots, unit_class.prepare_lead, unit_class.turn_over)
        stock = stock_of(unit, [*blocks[row.server_id], *_own_blocks(row, now)])
        standing.sites[unit_class.site.slug].setdefault(sku, []).append(stock)
        if unit_class.fabric is not None:
            standing.fabrics[unit_class.fabric.slug].setdefault(sku, []).append(stock)
    return standing


def _own_blocks(row: UnitRow, now: datetime) -> list[Block]:
    """Spans in which the Unit is not in service, or its Server in a state out of which nobody knows when it comes."""
    out = []
    if row.in_service_from > now:
        out.append(Period(EVER, row.in_service_from))
    if row.in_service_until is not None:
        out.append(Period(row.in_service_until, FOREVER))
    if row.server.state in lifecycle.UNSELLABLE_SERVER:
        out.append(Period(now, FOREVER))
    return [Block(row.server_id, None, span, span, Reason.MAINTENANCE) for span in out]


def _blocks(servers: set[int], now: datetime, without_booking: int | None) -> dict[int, list[Block]]:
    """What stands on the Servers from `now` on: Assignments with their guards, and Maintenance."""
    assignments = Assignment.objects.filter(live=True, server__in=servers, guarded__endswith__gt=now).exclude(booking=without_booking)
    maintenances = Maintenance.objects.filter(Q(during__endswith__gt=now) | Q(during__upper_inf=True), cancelled_at__isnull=True, server__in=servers)
    rows = (
        assignments.order_by()
        .values_list("server_id", "slots", "guarded", "during", Value(True, BooleanField()))
        .union(maintenances.order_by().values_list("server_id", Value(None, IntegerRangeField()), "during", "during", Value(False, BooleanField())), all=True)
    )
    blocks: dict[int, list[Block]] = defaultdict(list)
    for server, slots, guarded, during, is_rental in rows:
        where = (slots.lower, slots.upper) if is_rental else None
        reason = Reason.TAKEN if is_rental else Reason.MAINTENANCE
        guard = _period(guarded)
        blocks[server].append(Block(server, where, guard, _period(during).clipped(guard) or guard, reason))
    return blocks


def _period(stored) -> Period:
    return Period(stored.lower or EVER, stored.upper or FOREVER)


def _availability(configuration: Configuration, pools: list[Pool], span: Period, now: datetime, during: Period | None) -> Availability:
    shortest = timedelta(hours=configuration.minimum_hours) or timedelta(minutes=1)
    starts_at = _ready_at(pools, now)
    return Availability(
        sku=configuration.sku,
        total=max((pool.total for pool in pools), default=0),
        starts_at=starts_at,
        free_now=max((placement.largest_quantity(pool, Period.starting(pool.ready_at, shortest)) for pool in pools), default=0),
        next_free_at=domain.earliest_start(pools, shortest, 1, not_before=now, until=horizon(configuration, now)),
        steps=domain.steps(pools, span),
        free_during=None if during is None else max((_free_during(pool, during) for pool in pools), default=0),
    )


def _free_during(pool: Pool, during: Period) -> int:
    """How many for `during`, or for what is left of it once the pool can have something ready."""
    start = max(during.start, pool.ready_at)
    return placement.largest_quantity(pool, Period(start, during.end)) if start < during.end else 0


def _ready_at(pools: list[Pool], now: datetime) -> datetime:
    return min((pool.ready_at for pool in pools), default=now)
