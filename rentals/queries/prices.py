"""What a Booking would cost, line by line: the same lines that its Agreement freezes."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from billing import queries as billing
from billing.domain import pricing
from portal.kernel.period import Period
from rentals.models import Component, Configuration, StorageClass


def wanted(*, configuration: Configuration, quantity: int, storage_class: StorageClass | None = None, storage_tb: int = 0) -> list[pricing.Wanted]:
    """What billing is asked to price, one line for each component in its order, storage last."""
    lines = [
        pricing.Wanted(component.unit_kind.sku, component.unit_kind.name, Decimal(component.count * quantity)) for component in components_of(configuration)
    ]
    if storage_class is not None and storage_tb:
        lines.append(pricing.Wanted(storage_class.sku, storage_class.name, Decimal(storage_tb)))
    return lines


def components_of(configuration: Configuration) -> list[Component]:
    """The components in the order of their price lines: the first is line 1."""
    return list(configuration.components.select_related("unit_kind").order_by("position", "id"))


def preview(
    *,
    configuration: Configuration,
    quantity: int,
    during: Period,
    now: datetime,
    organisation: Any = None,
    currency: str = "",
    storage_class: StorageClass | None = None,
    storage_tb: int = 0,
    discount_percent: Decimal | None = None,
) -> pricing.Preview:
    """The price with every line explained. Without an organisation net only; a Quote's `discount_percent` stands in place of the term discount. Raises what
    billing.queries.preview raises."""
    return billing.preview(
        organisation=organisation,
        wanted=wanted(configuration=configuration, quantity=quantity, storage_class=storage_class, storage_tb=storage_tb),
        during=during,
        currency=currency or (organisation.currency if organisation else "USD"),
        now=now,
        discount_percent=discount_percent,
    )
