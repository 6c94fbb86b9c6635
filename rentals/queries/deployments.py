"""Deployments and Operations as operators see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import django_filters
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from rentals.models import Booking, Deployment, Operation
from rentals.queries import fleet

PAGE_SIZE = 50


class Filters(django_filters.FilterSet):
    """What the list of Deployments can be narrowed to; lives in the address."""

    show = django_filters.ChoiceFilter(
        label=_("Show"),
        method="by_show",
        empty_label=_("all"),
        choices=[
            ("waiting", _("under way")),
            ("late", _("late for their tenant")),
            ("overdue", _("overdue on the way out")),
            ("failed", _("failed this week")),
        ],
    )
    q = django_filters.CharFilter(label=_("Booking or server"), method="by_text")

    class Meta:
        model = Deployment
        fields: list[str] = []

    def __init__(self, *args: Any, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.now = now

    def by_show(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        return rows.filter(fleet.kind_of(value, self.now))

    def by_text(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        text = value.strip()
        booked = rows.filter(assignment__booking__in=Booking.objects.by_number(text.upper()))
        return booked | rows.filter(assignment__server__serial__icontains=text)


def deployments(*, filters: Mapping[str, Any], now: datetime, after: str = "", size: int = PAGE_SIZE) -> fleet.Listing:
    """Deployments, those planned last first. Raises keyset.BadCursor."""
    rows = Deployment.objects.select_related("assignment__server", "assignment__booking", "assignment__unit")
    return fleet.listing(Filters(filters, queryset=rows, now=now), after=after, size=size, order="-pk")


@dataclass(frozen=True, slots=True)
class OperationShown:
    """One engine action; `siblings` are the other ones of the same Deployment, in order."""

    row: Operation
    siblings: tuple[Operation, ...]
    steps: tuple[Any, ...]


def operation_for(user: Any, op_id: UUID | str) -> OperationShown:
    """The Operation with this id, for an operator. Raises NotFound, NotAllowed."""
    accounts.require_staff(user, roles.OPERATOR)
    rows = Operation.objects.select_related("server", "deployment__assignment__booking", "deployment__assignment__unit")
    row = rows.filter(op_id=op_id).first()
    if row is None:
        raise NotFound()
    if row.deployment is None:
        return OperationShown(row, tuple(Operation.objects.filter(server=row.server, deployment=None).order_by("-created_at")[:10]), ())
    siblings = tuple(Operation.objects.filter(deployment=row.deployment).order_by("created_at", "op_id"))
    return OperationShown(row, siblings, tuple(row.deployment.steps.order_by("started_at", "pk")))
