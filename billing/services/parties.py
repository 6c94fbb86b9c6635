"""Setting up who sells and who pays."""

from __future__ import annotations

import csv
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from billing.domain import tax
from billing.models import BillingAccount, LegalEntity, TaxIdCheck, TaxRule
from billing.queries import parties
from portal.accounts.services import audit
from portal.kernel.errors import Conflict

TAX_RULES = Path(__file__).resolve().parent.parent / "data" / "tax_rules.csv"


class CurrencyNotSold(Conflict):
    """We do not sell in this currency."""

    code = "currency_not_sold"


def account_for(*, organisation: Any) -> BillingAccount:
    """The BillingAccount of `organisation`, made on first use with the default seller; its currency is fixed from then on. Raises NoSeller,
    CurrencyNotSold."""
    account = parties.account_of(organisation)
    if account is not None:
        return account
    if organisation.currency not in settings.CURRENCIES:
        raise CurrencyNotSold(_("We do not sell in %(currency)s.") % {"currency": organisation.currency}, field="currency")
    seller = parties.default_seller()
    details = {"seller": seller, "currency": organisation.currency, "time_zone": organisation.time_zone}
    account, _made = BillingAccount.objects.get_or_create(organisation_id=organisation.pk, defaults=details)
    return account


@transaction.atomic
def set_up_seller(*, slug: str, by: Any, now: datetime, **details: object) -> LegalEntity:
    """Create or correct the default seller (fields of LegalEntity) and load the tax rules that ship with the portal. Series come into being with the first
    Document of each kind and year. Repeatable."""
    seller, made = LegalEntity.objects.update_or_create(slug=slug, defaults={**details, "is_default": True})
    load_tax_rules()
    audit.record(verb="seller.set_up", subject=slug, by=by, now=now, made=made, country=seller.country)
    return seller


def load_tax_rules(*, path: Path = TAX_RULES) -> int:
    """Add the rule rows of a data file that are not there yet; rows that finance has changed or closed stay as they are. Returns how many were added."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return sum(_add_rule(row) for row in rows)


@transaction.atomic
def record_tax_id_check(
    *, organisation: Any, tax_id: str, country: str, state: str, source: str, consultation: str, by: Any, now: datetime
) -> TaxIdCheck:  # fmt: skip
    """Write down what a register, or a person who asked one, said about a tax id. Documents already issued stay as they are."""
    account = account_for(organisation=organisation)
    number = tax.normal_tax_id(tax_id, country)
    audit.record(verb="tax_id.checked", subject=organisation.number, by=by, organisation=organisation, now=now, tax_id=number, state=state, source=source)
    return account.tax_id_checks.create(
        tax_id=number, country=country, state=TaxIdCheck.State(state), source=source, consultation=consultation, checked_at=now
    )  # fmt: skip


def _add_rule(row: dict[str, str]) -> bool:
    key = ("seller_country", "customer_country", "customer_region", "customer_group", "product_class")
    identity: dict[str, object] = {name: row[name] for name in key}
    identity["valid_from"] = date.fromisoformat(row["valid_from"])
    details = {
        "category": row["category"],
        "rate": Decimal(row["rate"]),
        "note": row["note"],
        "reason_code": row["reason_code"],
        "valid_until": date.fromisoformat(row["valid_until"]) if row["valid_until"] else None,
        "source": row["source"],
    }
    return TaxRule.objects.get_or_create(**identity, defaults=details)[1]
