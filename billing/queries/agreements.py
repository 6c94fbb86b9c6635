"""What was agreed: the frozen price of an Agreement, as it was previewed before."""

from __future__ import annotations

from billing.domain import pricing
from billing.domain.tax import Decision
from billing.models import Agreement, AgreementLine
from portal.kernel.errors import NotFound
from portal.kernel.period import Period


def price_of(*, agreement: str) -> pricing.Preview:
    """Every line of an Agreement at its frozen price, with its frozen tax. Raises NotFound."""
    row = Agreement.objects.by_number(agreement).prefetch_related("lines").first()
    if row is None:
        raise NotFound()
    during = Period(row.during.lower, row.during.upper)
    lines = [pricing.thaw(data=_frozen(line, row.currency), during=during) for line in row.lines.all()]
    decisions = {name: Decision.from_data(data) for name, data in row.tax["decisions"].items()}
    return pricing.assemble(lines=lines, decisions=decisions, during=during, currency=row.currency)


def _frozen(line: AgreementLine, currency: str) -> dict[str, object]:
    return {
        "sku": line.sku,
        "description": line.description,
        "quantity": line.quantity,
        "unit": line.unit,
        "rate": line.rate,
        "currency": currency,
        "discount_percent": line.discount_percent,
        "discount_from_terms": line.discount_from_terms,
        "granule_seconds": line.granule_seconds,
        "minimum_seconds": line.minimum_seconds,
        "product_class": line.product_class,
        "source": "",
    }
