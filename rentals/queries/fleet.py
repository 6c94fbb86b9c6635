"""The racks as operators see them: the wall, the list of Servers and all about one of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import django_filters
from django import forms
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from portal.kernel.page import Page
from portal.kernel.period import Period
from portal.toolkit import keyset, states
from rentals.domain import lifecycle
from rentals.models import Accelerator, Assignment, Deployment, Fabric, Operation, Server, ServerModel, Site, Unit, WipeEvidence
from rentals.queries import certificates

PAGE_SIZE = 50
LAST = 20
OPEN = ("waiting", "running")
ON_THE_WAY_OUT = ("undeploying", "wiping", "validating")


@dataclass(frozen=True, slots=True)
class Tile:
    """A Server on the wall. `tenants` are the numbers of the Bookings on it now."""

    serial: str
    position: int
    state: str
    model: str
    tenants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RackShown:
    site: str
    name: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the wall and the list behind it."""

    noun: str
    value: str
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class Wall:
    racks: tuple[RackShown, ...]
    states: tuple[Figure, ...]
    late: int
    failed: int
    overdue: int
    waiting: int


def wall(now: datetime) -> Wall:
    """All Servers that are not retired, by Site and rack, and how many need somebody. Three queries."""
    servers = list(Server.objects.exclude(state="retired").select_related("model", "site").order_by("site__slug", "rack", "position", "serial"))
    tenants = _tenants(now)
    racks: dict[tuple[str, str], list[Tile]] = defaultdict(list)
    for row in servers:
        racks[row.site.name, row.rack].append(Tile(row.serial, row.position, row.state, row.model.name, tuple(tenants[row.pk])))
    counted = Counter(row.state for row in servers)
    figures = [Figure("server", state, counted[state], f"/operate/servers/?state={state}") for state in states.STATES["server"] if counted[state]]
    return Wall(tuple(RackShown(site, rack, tuple(tiles)) for (site, rack), tiles in racks.items()), tuple(figures), **_deployments_in_numbers(now))


def _tenants(now: datetime) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    rows = Assignment.objects.filter(live=True, ready_at__isnull=False, handed_back_at__isnull=True).select_related("booking")
    for row in rows.order_by("server_id", "slots"):
        if row.booking.number not in found[row.server_id]:
            found[row.server_id].append(row.booking.number)
    return found


def _deployments_in_numbers(now: datetime) -> dict[str, int]:
    return Deployment.objects.aggregate(
        waiting=Count("pk", filter=kind_of("waiting", now)),
        late=Count("pk", filter=kind_of("late", now)),
        overdue=Count("pk", filter=kind_of("overdue", now)),
        failed=Count("pk", filter=kind_of("failed", now)),
    )


def kind_of(name: str, now: datetime) -> Q:
    """Deployments that are in preparation or out of it; late for their tenant; overdue on the way out; failed within a week."""
    start = {"assignment__during__startswith__lte": now}
    return {
        "waiting": Q(state__in=("preparing", "prepared", "handing_over", *ON_THE_WAY_OUT)) | Q(state="planned", due_at__lte=now),
        "late": Q(state__in=("planned", "preparing", "prepared", "handing_over"), **start),
        "overdue": Q(state__in=ON_THE_WAY_OUT, assignment__during__endswith__lte=now - timedelta(minutes=30)),
        "failed": Q(state="failed", state_since__gte=now - timedelta(days=7)),
    }[name]


class ServerFilters(django_filters.FilterSet):
    """What the list of Servers can be narrowed to; lives in the address."""

    q = django_filters.CharFilter(label=_("Serial or rack"), method="by_text")
    state = django_filters.ChoiceFilter(label=_("State"), empty_label=_("any"), choices=[])
    site = django_filters.ChoiceFilter(label=_("Site"), field_name="site__slug", empty_label=_("all"), choices=[])
    model = django_filters.ChoiceFilter(label=_("Model"), field_name="model__slug", empty_label=_("all"), choices=[])

    class Meta:
        model = Server
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters["state"].extra["choices"] = [(name, look.word) for name, look in states.STATES["server"].items()]
        self.filters["site"].extra["choices"] = list(Site.objects.values_list("slug", "name"))
        self.filters["model"].extra["choices"] = list(ServerModel.objects.values_list("slug", "name"))

    def by_text(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        return rows.filter(Q(serial__icontains=value.strip()) | Q(rack__iexact=value.strip()))


@dataclass(frozen=True, slots=True)
class Listing:
    page: Page
    form: forms.Form
    is_filtered: bool


def servers(*, filters: Mapping[str, Any], after: str = "", size: int = PAGE_SIZE) -> Listing:
    """Servers by serial. Filters that cannot be read find nothing and say so at the field. Raises keyset.BadCursor."""
    return listing(ServerFilters(filters, queryset=Server.objects.select_related("model", "site")), after=after, size=size, order="serial")


def listing(found: django_filters.FilterSet, *, after: str, size: int, order: str) -> Listing:
    """One page of what a FilterSet lets through."""
    is_valid = found.form.is_valid()
    page = keyset.page(found.qs if is_valid else found.queryset.none(), order=order, after=after, size=size)
    is_filtered = not is_valid or any(value not in (None, "") for value in found.form.cleaned_data.values())
    return Listing(page, found.form, is_filtered)


@dataclass(frozen=True, slots=True)
class WipeShown:
    id: int
    finished_at: datetime
    complete: bool
    flaw: str
    booking: str
    disks: tuple[certificates.Disk, ...]


@dataclass(frozen=True, slots=True)
class AssignmentShown:
    booking: str
    unit: str
    during: Period | None
    state: str
    live: bool


@dataclass(frozen=True, slots=True)
class UnitShown:
    id: int
    label: str
    kind: str
    slots: str
    off_sale: bool


@dataclass(frozen=True, slots=True)
class ServerShown:
    row: Server
    accelerators: tuple[Accelerator, ...]
    units: tuple[UnitShown, ...]
    assignments: tuple[AssignmentShown, ...]
    operations: tuple[Operation, ...]
    wipes: tuple[WipeShown, ...]
    history: tuple[Any, ...]
    standing: tuple[str, ...]  # numbers of the Bookings that have it now or later
    is_at_work: bool

    @property
    def may_leave(self) -> bool:
        """Whether it could be taken out or retired now."""
        return not self.standing and not self.is_at_work

    @property
    def may_retire(self) -> bool:
        return self.may_leave and lifecycle.SERVER.permits(self.row.state, "retired")

    @property
    def may_be_taken_out(self) -> bool:
        return self.may_leave and lifecycle.SERVER.permits(self.row.state, "maintenance")

    @property
    def may_return(self) -> bool:
        return not self.is_at_work and self.row.state in ("maintenance", "quarantined", "wipe_failed")


def server_for(user: Any, serial: str) -> Server:
    """The Server with this serial, for an operator. Raises NotFound, NotAllowed."""
    accounts.require_staff(user, roles.OPERATOR)
    row = Server.objects.filter(serial=serial).select_related("model", "site", "fabric").first()
    if row is None:
        raise NotFound()
    return row


def server_shown(*, server: Server, now: datetime) -> ServerShown:
    """All that the page of a Server shows. Six queries more."""
    assignments = list(Assignment.objects.filter(server=server).select_related("booking", "unit", "deployment").order_by("-during", "pk"))
    operations = Operation.objects.filter(server=server).select_related("deployment__assignment__booking").order_by("-created_at", "op_id")[:LAST]
    wipes = WipeEvidence.objects.filter(server=server).select_related("assignment__booking").order_by("-finished_at", "-pk")[:LAST]
    shown = tuple(operations)
    ahead = [row for row in assignments if row.live and row.guarded.upper > now]
    return ServerShown(
        row=server,
        accelerators=tuple(Accelerator.objects.filter(server=server).select_related("gpu_model").order_by("position")),
        units=tuple(_unit(row) for row in Unit.objects.filter(server=server).select_related("unit_class__kind").order_by("slots", "pk")),
        assignments=tuple(_assignment(row) for row in [*ahead, *(row for row in assignments if row not in ahead)][: LAST + len(ahead)]),
        operations=shown,
        wipes=tuple(_wipe(row) for row in wipes),
        history=tuple(accounts.history_of(server.serial)),
        standing=tuple(dict.fromkeys(row.booking.number for row in reversed(ahead))),
        is_at_work=any(row.state in OPEN for row in shown),
    )


def unit_for(user: Any, serial: str, unit: int) -> Unit:
    """One Unit of a Server, for an operator. Raises NotFound, NotAllowed."""
    row = Unit.objects.filter(pk=unit, server=server_for(user, serial)).select_related("server").first()
    if row is None:
        raise NotFound()
    return row


@dataclass(frozen=True, slots=True)
class Choices:
    """What a Server that is added by hand can be."""

    models: QuerySet
    sites: QuerySet
    fabrics: QuerySet


def choices() -> Choices:
    return Choices(ServerModel.objects.order_by("slug"), Site.objects.order_by("slug"), Fabric.objects.order_by("slug"))


def _unit(row: Unit) -> UnitShown:
    return UnitShown(row.pk, row.label, row.unit_class.kind.name, f"{row.slots.lower}–{row.slots.upper - 1}", row.in_service_until is not None)


def _assignment(row: Assignment) -> AssignmentShown:
    during = None if row.during.isempty else Period(row.during.lower, row.during.upper)
    deployment = getattr(row, "deployment", None)
    return AssignmentShown(row.booking.number, row.unit.label, during, deployment.state if deployment else "", row.live)


def _wipe(row: WipeEvidence) -> WipeShown:
    booking = row.assignment.booking.number if row.assignment else ""
    return WipeShown(row.pk, row.finished_at, row.complete, row.flaw, booking, tuple(certificates.disks_of(row)))
