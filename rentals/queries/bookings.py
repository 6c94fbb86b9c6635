"""Bookings as people see them: authorised loaders, lists, and all that the page of one Booking shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from portal.kernel.page import Page
from portal.kernel.period import Period
from portal.toolkit import fields, keyset
from rentals.domain import lifecycle
from rentals.models import Booking, Configuration
from rentals.queries import usage

PAGE_SIZE = 25
ONLOOKERS = (roles.OPERATOR, roles.ACCOUNT_MANAGER)


def booking_for(user: Any, number: str, *, may: Iterable[str] | None = None) -> Booking:
    """The Booking with this number, for a member with one of the roles in `may` (any role when None: operators and account managers may look as well). It
    carries `.role`, his role in the Organisation, "" for staff.

    Raises NotFound for an outsider, NotAllowed for an insider or staff person without such a role."""
    booking = Booking.objects.by_number(number).select_related("configuration", "image", "storage_class").first()
    if booking is None:
        raise NotFound()
    booking.role = accounts.check_role(user, booking.organisation_id, roles=may, staff=ONLOOKERS if may is None else ())
    return booking


@dataclass(frozen=True, slots=True)
class Listed:
    """A Booking in a list."""

    number: str
    state: str
    is_degraded: bool
    configuration: str
    sku: str
    project: str  # its name; "" for none
    quantity: int
    during: Period
    hold_expires_at: datetime | None
    created_at: datetime


class DayFilter(django_filters.DateFilter):
    field_class = fields.Day


class Filters(django_filters.FilterSet):
    """What a list can be narrowed to; lives in the address."""

    show = django_filters.ChoiceFilter(
        label=_("Show"), method="by_show", empty_label=_("all"), choices=[("current", _("running and ahead")), ("held", _("held")), ("past", _("past"))]
    )
    configuration = django_filters.ChoiceFilter(label=_("Configuration"), field_name="configuration__sku", empty_label=_("all"), choices=[])
    starts_from = DayFilter(label=_("Starts from"), field_name="during", lookup_expr="startswith__date__gte")
    project = django_filters.ChoiceFilter(label=_("Project"), method="by_project", empty_label=_("all"), choices=[])
    number = django_filters.CharFilter(label=_("Number"), method="by_number", widget=forms.TextInput({"placeholder": "B-1042", "size": 10}))

    class Meta:
        model = Booking
        fields: list[str] = []

    def __init__(self, *args: Any, projects: Mapping[int, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project_keys = {name: pk for pk, name in projects.items()}
        self.filters["project"].extra["choices"] = [(name, name) for name in projects.values()]
        booked = self.queryset.order_by().values_list("configuration_id", flat=True)
        known = Configuration.objects.filter(pk__in=booked).order_by("rank", "sku")
        self.filters["configuration"].extra["choices"] = [(row.sku, name_of(row)) for row in known]

    def by_show(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        live = lifecycle.LIVE_BOOKING - {"held"}
        states = {"current": live, "held": {"held"}, "past": lifecycle.BOOKING.final}[value]
        return rows.filter(state__in=states)

    def by_project(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        return rows.filter(project=self.project_keys[value])

    def by_number(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        return rows & Booking.objects.by_number(value.strip().upper())


@dataclass(frozen=True, slots=True)
class Listing:
    page: Page[Listed]
    form: forms.Form
    is_filtered: bool


def listing(*, organisation: Any, filters: Mapping[str, Any], after: str = "", size: int = PAGE_SIZE) -> Listing:
    """The Bookings of an Organisation, the newest first. Filters that cannot be read find nothing and say so at the field. Raises keyset.BadCursor."""
    projects = project_names(organisation)
    found = Filters(filters, projects=projects, queryset=Booking.objects.filter(organisation=organisation).select_related("configuration"))
    is_valid = found.form.is_valid()
    page = keyset.page(found.qs if is_valid else found.queryset.none(), after=after, size=size)
    is_filtered = not is_valid or any(value not in (None, "") for value in found.form.cleaned_data.values())
    return Listing(dataclasses.replace(page, items=[listed(row, projects) for row in page.items]), found.form, is_filtered)


def project_names(organisation: Any) -> dict[int, str]:
    """The names of an Organisation's projects by key."""
    return {project.pk: project.name for project in accounts.projects_of(organisation)}


def listed(row: Booking, projects: Mapping[int, str]) -> Listed:
    return Listed(
        number=row.number,
        state=row.state,
        is_degraded=row.degraded,
        configuration=name_of(row.configuration),
        sku=row.configuration.sku,
        project=projects.get(row.project_id, "") if row.project_id else "",
        quantity=row.quantity,
        during=usage.period_of(row),
        hold_expires_at=row.hold_expires_at if row.state == Booking.State.HELD else None,
        created_at=row.created_at,
    )


def name_of(named: Any) -> str:
    """The name of a Configuration, UnitKind or StorageClass in the reader's language."""
    return named.name_zh if in_chinese() else named.name


def in_chinese() -> bool:
    return (get_language() or "").startswith("zh")
