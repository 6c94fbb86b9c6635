"""The tax decision: from facts about seller and customer and the rule rows to a category, a rate and a note. No rate is written in code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

# Member states of the EU's VAT area, ISO 3166-1 alpha-2 (Council Directive 2006/112/EC, articles 5 to 7). Greece is GR here and EL in its VAT ids.
EU_VAT_AREA = frozenset("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split())

DOMESTIC, EU_BUSINESS, EU_CONSUMER, WORLD = "domestic", "eu_business", "eu_consumer", "world"
REVERSE_CHARGE_NOTE, REVERSE_CHARGE_REASON = "Reverse charge", "VATEX-EU-AE"


class NoTaxRule(LookupError):
    """No rule row covers these facts: nothing is sold before someone has decided how it is taxed."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the decision rests on. `tax_id_state`: valid | invalid | unavailable | unchecked. Only valid makes a reverse charge: a register that is down is
    neither valid nor invalid, so VAT is charged and nothing is blocked."""

    seller_country: str
    customer_country: str
    customer_region: str
    is_business: bool
    tax_id: str
    tax_id_state: str
    on: date


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule row. Empty country or region matches any; the more specific row wins. Half-open in time: `valid_until` is the first day without it."""

    seller_country: str
    customer_country: str
    customer_region: str
    customer_group: str
    product_class: str
    category: str
    rate: Decimal
    note: str
    reason_code: str
    valid_from: date
    valid_until: date | None
    source: str


@dataclass(frozen=True, slots=True)
class Decision:
    """How a product class is taxed for one customer; frozen in the Agreement and the Document."""

    group: str
    category: str
    rate: Decimal
    note: str
    reason_code: str
    source: str

    def as_data(self) -> dict[str, str]:
        """JSON-ready, numbers as strings."""
        return {
            "group": self.group,
            "category": self.category,
            "rate": format(self.rate.normalize(), "f"),
            "note": self.note,
            "reason_code": self.reason_code,
            "source": self.source,
        }

    @classmethod
    def from_data(cls, data: dict[str, str]) -> Decision:
        return cls(**{**data, "rate": Decimal(data["rate"])})  # type: ignore[arg-type]


def normal_tax_id(tax_id: str, country: str) -> str:
    """`tax_id` without spaces, dots and dashes, upper-case; Greek ids begin with EL whatever was typed."""
    compact = "".join(character for character in tax_id.upper() if character.isalnum())
    if country == "GR" and compact.startswith("GR"):
        return "EL" + compact[2:]
    return compact


def group_of(facts: Facts) -> str:
    """Which kind of customer the facts describe, as the rule rows name it."""
    if facts.customer_country == facts.seller_country:
        return DOMESTIC
    if facts.seller_country in EU_VAT_AREA and facts.customer_country in EU_VAT_AREA:
        return EU_BUSINESS if facts.is_business and facts.tax_id and facts.tax_id_state == "valid" else EU_CONSUMER
    return WORLD


def decide(*, facts: Facts, rules: Iterable[Rule], product_class: str) -> Decision:
    """The decision for `product_class`; raises NoTaxRule. The newest of the most specific matching rows counts."""
    group = group_of(facts)
    matching = [rule for rule in rules if _matches(rule, facts, group, product_class)]
    if not matching:
        raise NoTaxRule(f"{facts.seller_country} to {facts.customer_country} ({group}, {product_class}) on {facts.on.isoformat()}")
    rule = max(matching, key=_precedence)
    note, reason_code = rule.note, rule.reason_code
    if rule.category == "AE":
        note, reason_code = note or REVERSE_CHARGE_NOTE, reason_code or REVERSE_CHARGE_REASON
    return Decision(group, rule.category, rule.rate, note, reason_code, rule.source)


def _matches(rule: Rule, facts: Facts, group: str, product_class: str) -> bool:
    return (
        rule.seller_country == facts.seller_country
        and rule.customer_country in ("", facts.customer_country)
        and rule.customer_region in ("", facts.customer_region)
        and rule.customer_group in ("any", group)
        and rule.product_class in ("any", product_class)
        and rule.valid_from <= facts.on
        and (rule.valid_until is None or facts.on < rule.valid_until)
    )


def _precedence(rule: Rule) -> tuple[bool, bool, bool, bool, date]:
    return (bool(rule.customer_region), bool(rule.customer_country), rule.product_class != "any", rule.customer_group != "any", rule.valid_from)
