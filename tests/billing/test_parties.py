"""Sellers, accounts, tax ids and prices."""

from datetime import timedelta
from decimal import Decimal

import pytest

from billing import queries
from billing.domain.pricing import Wanted
from billing.models import Agreement, BillingAccount, Document, LegalEntity, Price, TaxIdCheck, TaxRule, TermDiscount
from billing.services import parties, prices
from portal.kernel.errors import InvalidInput
from portal.kernel.period import Period

SELLER = {
    "name": "GPU Rental GmbH", "street": "Hauptstr. 5", "city": "Frankfurt", "postal_code": "60311", "country": "DE", "tax_id": "DE129273398",
    "email": "billing@example.com", "accounting_currency": "EUR", "time_zone": "Europe/Berlin",
}  # fmt: skip


def test_a_seller_is_set_up_with_the_tax_rules_that_ship_and_again_without_harm(cast, now):
    parties.set_up_seller(slug="main", by=None, now=now, **SELLER)
    rules = TaxRule.objects.count()
    TaxRule.objects.filter(customer_country="HU").update(rate=26)

    parties.set_up_seller(slug="main", by=None, now=now, **{**SELLER, "name": "Renamed GmbH"})

    assert LegalEntity.objects.get().name == "Renamed GmbH"
    assert (TaxRule.objects.count(), TaxRule.objects.get(customer_country="HU").rate) == (rules, 26)


def test_an_account_is_made_once_and_keeps_its_currency(cast, racks):
    account = parties.account_for(organisation=cast.lab)
    cast.lab.currency = "EUR"

    assert parties.account_for(organisation=cast.lab) == account
    assert BillingAccount.objects.get().currency == "USD"


def test_no_account_in_a_currency_that_is_not_sold(cast, racks):
    cast.lab.currency = "SEK"

    with pytest.raises(parties.CurrencyNotSold):
        parties.account_for(organisation=cast.lab)


def test_before_the_first_run_nothing_is_sold(cast):
    with pytest.raises(queries.NoSeller):
        parties.account_for(organisation=cast.lab)


def test_without_a_country_nothing_can_be_taxed_but_a_net_price_is_shown(cast, racks, now, till):
    cast.lab.country = ""
    wanted, during = [Wanted("t4-x4", "T", Decimal(1))], Period.starting(now, timedelta(hours=1))

    assert not queries.preview(organisation=cast.lab, wanted=wanted, during=during, currency="USD", now=now).tax_known
    with pytest.raises(queries.DetailsMissing):
        till.order()


def test_where_no_rule_says_how_nothing_is_sold(cast, racks, till):
    TaxRule.objects.all().delete()

    with pytest.raises(queries.CannotBeTaxed):
        till.order()


@pytest.fixture
def in_france(cast, racks):
    cast.lab.country, cast.lab.tax_id = "FR", "FR83404833048"
    return cast.lab


def check(organisation, state: str, now, hours: int = 0) -> None:
    parties.record_tax_id_check(
        organisation=organisation, tax_id="FR 83 404 833 048", country="FR", state=state, source="tests", consultation="", by=None,
        now=now + timedelta(hours=hours),
    )  # fmt: skip


def test_an_id_is_charged_vat_until_a_register_says_it_is_valid(in_france, till, now):
    """M11: unavailable blocks nothing and charges VAT; once valid the next Document is reverse charge and the old one stays."""
    till.buy()
    check(in_france, "unavailable", now)
    till.buy()
    check(in_france, "valid", now, 1)
    check(in_france, "unavailable", now, 2)
    till.buy()

    categories = [row.snapshot["taxes"][0]["category"] for row in Document.objects.order_by("pk")]
    assert categories == ["S", "S", "AE"]
    last = Document.objects.order_by("pk").last()
    assert (last.tax_minor, last.snapshot["taxes"][0]["note"], last.snapshot["taxes"][0]["reason_code"]) == (0, "Reverse charge", "VATEX-EU-AE")
    assert (last.snapshot["customer"]["tax_id"], last.snapshot["seller"]["tax_id"]) == ("FR83404833048", "DE129273398")


def test_an_invalid_id_is_charged_vat(in_france, till, now):
    check(in_france, "invalid", now)
    till.buy()

    assert Document.objects.get().snapshot["taxes"][0]["category"] == "S"
    assert Agreement.objects.get().tax["tax_id_state"] == TaxIdCheck.State.INVALID


def test_a_price_once_published_never_changes(cast, now):
    def publish(rate: str, **more) -> None:
        prices.publish(sku="a", currency="USD", rate=Decimal(rate), valid_from=now, by=None, now=now, **more)

    publish("1.50")
    publish("1.50")
    with pytest.raises(prices.PricePublished):
        publish("1.60")
    assert Price.objects.count() == 1


@pytest.mark.parametrize("wrong", [{"currency": "SEK"}, {"rate": Decimal(-1)}, {"granule_seconds": 0}])
def test_a_price_that_makes_no_sense_is_refused(cast, now, wrong):
    terms = {"sku": "a", "currency": "USD", "rate": Decimal(1), "valid_from": now, "by": None, "now": now, **wrong}

    with pytest.raises(InvalidInput):
        prices.publish(**terms)


def test_a_new_price_holds_from_its_moment_on(cast, now):
    for rate, moment in (("1", now), ("2", now + timedelta(days=1))):
        prices.publish(sku="a", currency="USD", rate=Decimal(rate), valid_from=moment, by=None, now=now)

    assert queries.list_rates(skus=["a"], currency="USD", now=now)["a"].amount.amount == 1
    assert queries.list_rates(skus=["a"], currency="USD", now=now + timedelta(days=1))["a"].amount.amount == 2
    assert queries.list_rates(skus=["a"], currency="USD", now=now - timedelta(seconds=1)) == {}


def test_list_rates_is_one_query(cast, now, django_assert_num_queries):
    with django_assert_num_queries(1):
        queries.list_rates(skus=["a", "b", "c"], currency="USD", now=now)


def test_new_term_discounts_replace_the_old_and_agreements_keep_theirs(till, now):
    prices.publish_term_discounts(steps={24: Decimal(3), 72: Decimal(5)}, by=None, now=now)
    number = till.order()
    prices.publish_term_discounts(steps={72: Decimal(8)}, by=None, now=now)

    assert list(TermDiscount.objects.values_list("from_hours", "percent")) == [(72, 8)]
    assert Agreement.objects.by_number(number).get().terms == [[24, "3.00"], [72, "5.00"]]


def test_a_discount_outside_0_to_100_is_refused(cast, racks, now):
    with pytest.raises(InvalidInput):
        queries.preview(
            organisation=cast.lab, wanted=[Wanted("t4-x4", "T", Decimal(1))], during=Period.starting(now, timedelta(hours=1)), currency="USD", now=now,
            discount_percent=Decimal(101),
        )  # fmt: skip


def test_an_offer_in_another_currency_is_refused(till, cast, now):
    price = queries.preview(
        organisation=cast.lab, wanted=[Wanted("t4-x4", "T", Decimal(1))], during=Period.starting(now, timedelta(hours=1)), currency="USD", now=now
    )  # fmt: skip
    frozen = [{**line.as_data(), "currency": "EUR"} for line in price.lines]

    with pytest.raises(queries.NoPrice):
        till.order(frozen=frozen)
