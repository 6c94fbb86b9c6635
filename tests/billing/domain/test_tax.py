"""The tax decision, from facts and rows."""

import csv
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import billing
from billing.domain import tax
from billing.domain.tax import Decision, Facts, NoTaxRule, Rule

TODAY = date(2026, 12, 1)


def shipped() -> list[Rule]:
    """The rows that ship with the portal."""
    path = Path(billing.__file__).parent / "data" / "tax_rules.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Rule(**{
            **row, "rate": Decimal(row["rate"]), "valid_from": date.fromisoformat(row["valid_from"]),
            "valid_until": date.fromisoformat(row["valid_until"]) if row["valid_until"] else None,
        })
        for row in rows
    ]  # fmt: skip


def decide(country: str, *, seller: str = "DE", business: bool = True, tax_id: str = "", state: str = "unchecked", product: str = "service", on: date = TODAY):
    facts = Facts(seller, country, "", business, tax_id, state, on)
    return tax.decide(facts=facts, rules=shipped(), product_class=product)


def test_a_domestic_customer_pays_the_domestic_rate():
    decision = decide("DE", tax_id="DE136695976", state="valid")

    assert (decision.group, decision.category, decision.rate) == ("domestic", "S", 19)


def test_a_business_in_another_eu_state_with_a_valid_id_is_reverse_charged():
    decision = decide("FR", tax_id="FR83404833048", state="valid")

    assert (decision.category, decision.rate, decision.note, decision.reason_code) == ("AE", 0, "Reverse charge", "VATEX-EU-AE")


@pytest.mark.parametrize("state", ["invalid", "unavailable", "unchecked"])
def test_an_id_that_is_not_known_to_be_valid_is_charged_vat(state):
    """M11: a register that is down is not valid, and nobody is blocked by it."""
    decision = decide("FR", tax_id="FR83404833048", state=state)

    assert (decision.group, decision.category, decision.rate) == ("eu_consumer", "S", 20)


@pytest.mark.parametrize(("business", "tax_id"), [(False, "FR83404833048"), (True, "")])
def test_without_a_business_or_an_id_an_eu_customer_is_a_consumer(business, tax_id):
    assert decide("FR", business=business, tax_id=tax_id, state="valid").group == "eu_consumer"


@pytest.mark.parametrize(("country", "rate"), [("HU", "27"), ("LU", "17"), ("FI", "25.5"), ("GR", "24")])
def test_an_eu_consumer_pays_the_rate_of_his_country(country, rate):
    assert decide(country, business=False).rate == Decimal(rate)


@pytest.mark.parametrize("country", ["US", "CN", "CH", "GB"])
def test_a_customer_outside_the_eu_is_outside_the_scope(country):
    assert (decide(country).group, decide(country).category, decide(country).rate) == ("world", "O", 0)


def test_a_chinese_seller_charges_6_percent_for_services_and_13_for_equipment():
    assert decide("CN", seller="CN").rate == 6
    assert decide("CN", seller="CN", product="equipment_lease").rate == 13


def test_an_american_seller_says_why_it_charges_no_tax():
    decision = decide("US", seller="US")

    assert (decision.category, decision.rate, decision.note) == ("O", 0, "No sales tax collected in this state")


def test_nothing_is_sold_where_no_row_says_how_it_is_taxed():
    with pytest.raises(NoTaxRule):
        decide("DE", seller="BR")


def row(**changes) -> Rule:
    plain = Rule("DE", "", "", "any", "any", "S", Decimal(19), "", "", date(2020, 1, 1), None, "tests")
    return Rule(**{**{name: getattr(plain, name) for name in Rule.__slots__}, **changes})


@pytest.mark.parametrize(
    "specific",
    [
        {"customer_country": "US", "customer_region": "CA"}, {"customer_country": "US"}, {"product_class": "service"}, {"customer_group": "world"},
        {"valid_from": date(2026, 1, 1)},
    ],
)  # fmt: skip
def test_the_more_specific_and_then_the_newer_row_wins(specific):
    facts = Facts("DE", "US", "CA", True, "", "unchecked", TODAY)

    decision = tax.decide(facts=facts, rules=[row(), row(rate=Decimal(7), **specific), row()], product_class="service")

    assert decision.rate == 7


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"seller_country": "FR"}, {"customer_country": "CH"}, {"customer_region": "NY"}, {"customer_group": "domestic"}, {"product_class": "lease"},
        {"valid_from": date(2026, 12, 2)}, {"valid_until": TODAY},
    ],
)  # fmt: skip
def test_a_row_that_does_not_match_in_one_thing_does_not_count(elsewhere):
    facts = Facts("DE", "US", "CA", True, "", "unchecked", TODAY)

    with pytest.raises(NoTaxRule):
        tax.decide(facts=facts, rules=[row(**elsewhere)], product_class="service")


def test_a_row_holds_until_the_day_before_it_ends():
    facts = Facts("DE", "US", "CA", True, "", "unchecked", TODAY)

    assert tax.decide(facts=facts, rules=[row(valid_until=date(2026, 12, 2))], product_class="service").rate == 19


def test_a_reverse_charge_row_without_words_gets_the_words_of_the_law():
    facts = Facts("DE", "US", "CA", True, "", "unchecked", TODAY)

    decision = tax.decide(facts=facts, rules=[row(category="AE", rate=Decimal(0))], product_class="service")

    assert (decision.note, decision.reason_code) == ("Reverse charge", "VATEX-EU-AE")


def test_greek_ids_begin_with_el_and_typing_does_not_matter():
    assert tax.normal_tax_id("gr 094.259-216", "GR") == "EL094259216"
    assert tax.normal_tax_id("EL094259216", "GR") == "EL094259216"
    assert tax.normal_tax_id("de 136 695 976", "DE") == "DE136695976"


def test_a_decision_is_frozen_and_read_again():
    decision = Decision("domestic", "S", Decimal("25.500"), "", "", "tests")

    assert decision.as_data()["rate"] == "25.5"
    assert Decision.from_data(decision.as_data()) == decision


def test_every_shipped_row_names_its_source_and_each_eu_state_has_one():
    rows = shipped()

    assert all(each.source for each in rows)
    assert {each.customer_country for each in rows if each.customer_group == "eu_consumer"} == tax.EU_VAT_AREA - {"DE"}
