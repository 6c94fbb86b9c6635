"""What something costs: order of prices, one rounding, the same sum everywhere."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.domain import document, pricing
from billing.domain.pricing import Rate, Step, Wanted
from billing.domain.tax import Decision
from portal.kernel.money import Money, round_half_up
from portal.kernel.period import Period

START = datetime(2026, 12, 1, tzinfo=UTC)
STEPS = [Step(720, Decimal(10)), Step(72, Decimal(5))]
VAT = Decision("domestic", "S", Decimal(19), "", "", "tests")


def rate(amount: str = "15.12", *, currency: str = "USD", granule: int = 60, minimum: int = 3600, product_class: str = "service") -> Rate:
    return Rate("a100", "hour", Money(Decimal(amount), currency), granule, minimum, product_class, "tests")


def during(**length: int) -> Period:
    return Period.starting(START, timedelta(**length))


def line(amount: str = "15.12", quantity: str = "1", percent: str = "0", length: Period | None = None, **more) -> pricing.PriceLine:
    wanted = Wanted("a100", "8 × A100", Decimal(quantity))
    return pricing.price_line(wanted=wanted, rate=rate(amount, **more), during=length or during(hours=72), percent=Decimal(percent), from_terms=True)


def test_a_line_is_quantity_times_hours_times_rate():
    priced = line(quantity="2")

    assert (priced.hours, priced.billed_hours, priced.net.minor) == (72, 144, 217728)
    assert priced.rule == "2 × 72 h × 15.12 USD"


def test_a_discount_is_taken_off_the_line_and_the_line_is_rounded_once():
    priced = line(percent="5")

    assert (priced.discount.minor, priced.net.minor) == (5443, 103421)
    assert priced.rule == "1 × 72 h × 15.12 USD − 5 %"


def test_less_than_the_minimum_term_costs_the_minimum_term():
    assert line(length=during(minutes=10)).net.minor == 1512


def test_a_started_granule_counts_in_full():
    assert line("60", length=during(hours=1, seconds=1)).net.minor == 6100


@pytest.mark.parametrize(("hours", "percent"), [(0, 0), (71, 0), (72, 5), (719, 5), (720, 10), (9999, 10)])
def test_term_discounts_are_half_open_steps(hours, percent):
    assert pricing.term_percent(steps=STEPS, seconds=hours * 3600) == percent
    assert pricing.term_percent(steps=STEPS, seconds=hours * 3600 - 1) <= percent


def test_a_quoted_discount_stands_in_place_of_the_term_discount():
    wanted = [Wanted("a100", "8 × A100", Decimal(1))]
    rates = {"a100": rate()}

    terms = pricing.price(wanted=wanted, rates=rates, during=during(hours=72), steps=STEPS)
    quoted = pricing.price(wanted=wanted, rates=rates, during=during(hours=72), steps=STEPS, quoted_percent=Decimal(3))

    assert [(item.discount_percent, item.discount_from_terms) for item in (*terms, *quoted)] == [(5, True), (3, False)]


def test_a_sku_without_a_price_is_an_error_and_never_free():
    with pytest.raises(KeyError):
        pricing.price(wanted=[Wanted("h100", "H100", Decimal(1))], rates={"a100": rate()}, during=during(hours=1), steps=[])


def test_tax_is_added_on_the_sum_of_the_rounded_lines():
    price = pricing.assemble(lines=[line(), line(percent="5")], decisions={"service": VAT}, during=during(hours=72), currency="USD")

    assert (price.net.minor, price.tax.minor, price.gross.minor, price.tax_known) == (212285, 40334, 252619, True)
    assert (price.term_percent, price.discount.minor) == (5, 5443)


def test_without_a_tax_decision_the_price_is_net():
    price = pricing.assemble(lines=[line()], decisions=None, during=during(hours=72), currency="USD")

    assert (price.gross, price.tax.minor, price.taxes, price.tax_known) == (price.net, 0, (), False)


def test_a_price_of_nothing_has_no_term_discount():
    assert pricing.assemble(lines=[], decisions={}, during=during(hours=1), currency="USD").term_percent == 0


def test_a_frozen_line_comes_back_as_it_was():
    priced = line(percent="7.5", quantity="3", product_class="lease")

    assert pricing.thaw(data=priced.as_data(), during=during(hours=72)) == priced


@pytest.mark.parametrize(("currency", "amount", "minor"), [("JPY", "2200.4", 158429), ("KWD", "4.5678", 328882)])
def test_a_line_is_rounded_to_the_currencys_own_minor_unit(currency, amount, minor):
    assert line(amount, currency=currency).net.minor == minor


@given(
    amount=st.decimals(Decimal("0.000001"), Decimal(5000), places=6),
    quantity=st.integers(1, 64),
    seconds=st.integers(1, 90 * 86400),
    percent=st.decimals(0, Decimal("99.99"), places=2),
)
def test_a_reader_can_repeat_the_sum_of_every_line(amount, quantity, seconds, percent):
    """Peppol R120: quantity x price - discount gives the net, to two cents."""
    priced = line(str(amount), str(quantity), str(percent), during(seconds=seconds), granule=1)

    printed = round_half_up(priced.billed_hours * priced.rate.amount, 2) - priced.discount.amount
    assert printed == priced.net.amount
    assert priced.net.amount >= 0
    exact = priced.rate.amount * quantity * priced.seconds / 3600 * (100 - percent) / 100
    assert abs(exact - priced.net.amount) <= Decimal("0.005")


@given(first=st.integers(1, 10**6), second=st.integers(1, 10**6))
def test_a_longer_rental_never_costs_less_at_one_discount(first, second):
    shorter, longer = sorted((first, second))

    assert line(length=during(seconds=shorter)).net <= line(length=during(seconds=longer)).net


def test_a_discount_of_a_line_is_a_whole_number_of_minor_units():
    discount = document.line_discount(quantity=Decimal("1.333333"), price=Money(Decimal("0.999999"), "USD"), net=Money.from_minor(100, "USD"))

    assert discount.minor == 33
