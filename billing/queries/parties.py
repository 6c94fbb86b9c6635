"""Who sells, who pays, and how he is taxed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from billing.domain import numbering, tax
from billing.models import BillingAccount, LegalEntity, TaxIdCheck, TaxRule
from portal.kernel.errors import Conflict


class NoSeller(Conflict):
    """The portal has no seller yet."""

    code = "no_seller"


class DetailsMissing(Conflict):
    """The billing address is incomplete."""

    code = "details_missing"


class CannotBeTaxed(Conflict):
    """There is no tax rule for this customer."""

    code = "cannot_be_taxed"


@dataclass(frozen=True, slots=True)
class Treatment:
    """How one customer is taxed now: the facts and the decision per product class. `as_data` is what an Agreement freezes."""

    facts: tax.Facts
    decisions: dict[str, tax.Decision]

    def as_data(self, organisation: Any) -> dict:
        return {
            "customer": customer_data(organisation, self.facts),
            "tax_id_state": self.facts.tax_id_state,
            "decisions": {name: decision.as_data() for name, decision in self.decisions.items()},
        }


def default_seller() -> LegalEntity:
    """The seller of new accounts; raises NoSeller before the first-run command."""
    seller = LegalEntity.objects.filter(is_default=True).first()
    if seller is None:
        raise NoSeller(_("The portal has no seller yet. An administrator must run the first-run command."))
    return seller


def account_of(organisation: Any) -> BillingAccount | None:
    """The billing account of this Organisation, if it ever ordered or was set up."""
    return BillingAccount.objects.select_related("seller").filter(organisation=organisation.pk).first()


def treatment(*, organisation: Any, product_classes: Iterable[str], now: datetime) -> Treatment:
    """Decide the tax for `organisation`; raises NoSeller, DetailsMissing (no country yet) and CannotBeTaxed."""
    account = account_of(organisation)
    seller = account.seller if account else default_seller()
    if not organisation.country:
        raise DetailsMissing(_("Please complete the billing address first: the country decides the tax."), field="country")
    tax_id = tax.normal_tax_id(organisation.tax_id, organisation.country)
    facts = tax.Facts(
        seller_country=seller.country,
        customer_country=organisation.country,
        customer_region=organisation.region,
        is_business=organisation.is_business,
        tax_id=tax_id,
        tax_id_state=tax_id_state(account=account, tax_id=tax_id) if account and tax_id else TaxIdCheck.State.UNCHECKED.value,
        on=numbering.day(now=now, zone=seller.time_zone),
    )
    rules = _rules(seller.country)
    try:
        decisions = {name: tax.decide(facts=facts, rules=rules, product_class=name) for name in sorted(set(product_classes))}
    except tax.NoTaxRule as error:
        raise CannotBeTaxed(_("We cannot invoice customers in this country yet: there is no tax rule. Please write to us."), rule=str(error)) from error
    return Treatment(facts, decisions)


def tax_id_state(*, account: BillingAccount, tax_id: str) -> str:
    """What is known about this tax id: the newest answer that says something, else the newest attempt, else unchecked."""
    states = list(account.tax_id_checks.filter(tax_id=tax_id).values_list("state", flat=True)[:20])
    conclusive = [state for state in states if state in (TaxIdCheck.State.VALID, TaxIdCheck.State.INVALID)]
    return (conclusive or states or [TaxIdCheck.State.UNCHECKED.value])[0]


def customer_data(organisation: Any, facts: tax.Facts) -> dict[str, Any]:
    """The customer as Documents print him, JSON-ready."""
    return {
        "number": organisation.number,
        "name": organisation.legal_name or organisation.name,
        "street": organisation.street,
        "postal_code": organisation.postal_code,
        "city": organisation.city,
        "region": organisation.region,
        "country": organisation.country,
        "tax_id": facts.tax_id,
        "email": organisation.billing_email,
        "is_business": organisation.is_business,
    }


def _rules(seller_country: str) -> list[tax.Rule]:
    rows = TaxRule.objects.filter(seller_country=seller_country).values_list(
        "seller_country", "customer_country", "customer_region", "customer_group", "product_class", "category", "rate", "note", "reason_code",
        "valid_from", "valid_until", "source",
    )  # fmt: skip
    return [tax.Rule(*row) for row in rows]
