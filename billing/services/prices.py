"""Publishing prices. A price that was valid once is never changed: a new one follows from a later moment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from billing.models import Price, TermDiscount
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, InvalidInput


class PricePublished(Conflict):
    """This price is published already with other terms."""

    code = "price_published"


@transaction.atomic
def publish(
    *,
    sku: str,
    currency: str,
    rate: Decimal,
    valid_from: datetime,
    by: Any,
    now: datetime,
    unit: str = "hour",
    granule_seconds: int = 60,
    minimum_seconds: int = 3600,
    product_class: str = "service",
    source: str = "",
) -> None:
    """Make `rate` per hour and unit the list price of `sku` from `valid_from` on. The same again changes nothing. Raises PricePublished, InvalidInput."""
    if currency not in settings.CURRENCIES:
        raise InvalidInput(_("We do not sell in %(currency)s.") % {"currency": currency}, field="currency")
    if rate < 0 or granule_seconds < 1:
        raise InvalidInput(_("A price is not negative and its granule is at least a second."), field="rate")
    terms = {
        "unit": unit,
        "rate": rate,
        "granule_seconds": granule_seconds,
        "minimum_seconds": minimum_seconds,
        "product_class": product_class,
        "source": source,
    }
    row, made = Price.objects.get_or_create(sku=sku, currency=currency, valid_from=valid_from, defaults=terms)
    if not made and any(getattr(row, name) != value for name, value in terms.items()):
        raise PricePublished(_("The price of %(sku)s from this moment on is published already.") % {"sku": sku})
    if made:
        audit.record(verb="price.published", subject=sku, by=by, now=now, currency=currency, rate=str(rate), valid_from=valid_from.isoformat())


@transaction.atomic
def publish_term_discounts(*, steps: Mapping[int, Decimal], by: Any, now: datetime) -> None:
    """Replace the term discounts: {from_hours: percent}. Agreements keep the steps they were made with."""
    TermDiscount.objects.exclude(from_hours__in=steps).delete()
    for from_hours, percent in steps.items():
        TermDiscount.objects.update_or_create(from_hours=from_hours, defaults={"percent": percent})
    audit.record(verb="terms.published", subject="terms", by=by, now=now, steps={str(hours): str(percent) for hours, percent in steps.items()})
