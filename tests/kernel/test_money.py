"""Money: exact until it is rounded, once, half-up; never a float, never two currencies."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.kernel import money
from portal.kernel.money import CurrencyMismatch, Money, UnknownCurrency


def usd(text: str) -> Money:
    return Money(Decimal(text), "USD")


@pytest.mark.parametrize(("exact", "rounded"), [("2.675", "2.68"), ("0.125", "0.13"), ("-2.675", "-2.68"), ("2.6749999", "2.67"), ("0", "0.00")])
def test_halves_are_rounded_away_from_zero(exact, rounded):
    assert str(usd(exact).rounded().amount) == rounded


@pytest.mark.parametrize(("currency", "amount", "minor"), [("JPY", "9899", 9899), ("KWD", "1.234", 1234), ("USD", "98.99", 9899), ("BHD", "0.001", 1)])
def test_every_currency_has_its_own_minor_unit(currency, amount, minor):
    """M8: never a hard-coded hundred."""
    assert Money(Decimal(amount), currency).minor == minor
    assert Money.from_minor(minor, currency) == Money(Decimal(amount), currency)


@pytest.mark.parametrize(("currency", "text"), [("JPY", "1235 JPY"), ("KWD", "1234.568 KWD"), ("EUR", "1234.57 EUR")])
def test_money_is_printed_with_the_digits_of_its_currency(currency, text):
    assert str(Money(Decimal("1234.5678"), currency)) == text


def test_an_amount_finer_than_its_currency_has_no_minor_units():
    with pytest.raises(ValueError, match="rounded"):
        _minor = usd("0.001").minor


@pytest.mark.parametrize("amount", [1.5, 1, "1"])
def test_money_is_made_of_decimals_only(amount):
    with pytest.raises(TypeError):
        Money(amount, "USD")


@pytest.mark.parametrize("amount", ["NaN", "Infinity"])
def test_money_is_finite(amount):
    with pytest.raises(ValueError, match="finite"):
        usd(amount)


def test_a_currency_that_is_not_in_the_table_is_refused():
    with pytest.raises(UnknownCurrency):
        Money(Decimal(1), "ZZZ")


@pytest.mark.parametrize("factor", [1.5, True, "2"])
def test_money_is_never_multiplied_by_a_float(factor):
    with pytest.raises(TypeError):
        usd("1") * factor


def test_money_adds_up():
    assert usd("1.10") + usd("2.20") == usd("3.30")
    assert usd("1.10") - usd("2.20") == usd("-1.10")
    assert -usd("1.10") == usd("-1.10")
    assert 3 * usd("1.10") == usd("1.10") * Decimal(3) == usd("3.30")
    assert money.total([usd("1"), usd("2")], "USD") == usd("3")
    assert money.total([], "JPY") == Money.zero("JPY")


def test_money_is_ordered_within_one_currency():
    assert usd("1") < usd("2") <= usd("2") and usd("3") > usd("2") >= usd("2")
    assert usd("0.01") and not usd("0.00")


@pytest.mark.parametrize("act", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b])
def test_two_currencies_never_meet(act):
    with pytest.raises(CurrencyMismatch):
        act(usd("1"), Money(Decimal(1), "EUR"))


def test_a_coupon_is_spread_over_lines_by_largest_remainder():
    assert [str(part.amount) for part in money.split(usd("10.00"), [100, 50, 30, 20])] == ["5.00", "2.50", "1.50", "1.00"]
    assert [part.minor for part in money.split(usd("0.05"), [1, 1, 1])] == [2, 2, 1]
    assert [part.minor for part in money.split(usd("-0.05"), [1, 1, 1])] == [-2, -2, -1]


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1]])
def test_a_split_needs_weights(weights):
    with pytest.raises(ValueError, match="weights"):
        money.split(usd("1.00"), weights)


@given(st.integers(-(10**9), 10**9), st.lists(st.integers(0, 10**6), min_size=1, max_size=9).filter(any), st.sampled_from(["USD", "JPY", "KWD"]))
def test_a_split_preserves_the_sum_and_is_fair_to_one_unit(minor, weights, currency):
    parts = money.split(Money.from_minor(minor, currency), weights)

    assert sum(part.minor for part in parts) == minor
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part.minor - Decimal(minor) * weight / sum(weights)) < 1


@given(st.decimals(-(10**9), 10**9, places=6), st.sampled_from(["USD", "JPY", "KWD"]))
def test_rounding_moves_by_half_a_unit_at_most(amount, currency):
    rounded = Money(amount, currency).rounded()

    assert abs(rounded.amount - amount) <= Decimal("0.5").scaleb(-money.exponent(currency))
    assert rounded == rounded.rounded() == Money.from_minor(rounded.minor, currency)
