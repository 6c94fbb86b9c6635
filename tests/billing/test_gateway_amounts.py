"""Amounts as the gateway counts them: exact, or refused by rule (case M8)."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.domain.gateway_amounts import EXPONENTS, MULTIPLES, NotSendable, from_gateway, least, to_gateway
from portal.kernel import money as kernel
from portal.kernel.money import Money


@pytest.mark.parametrize(
    ("amount", "currency", "sent"),
    [("10.50", "USD", 1050), ("9899", "JPY", 9899), ("1.230", "KWD", 1230), ("5", "ISK", 500), ("7", "UGX", 700), ("5.00", "MGA", 5), ("0.01", "EUR", 1)],
)
def test_an_amount_goes_out_in_the_gateways_smallest_unit(amount, currency, sent):
    assert to_gateway(Money(Decimal(amount), currency)) == sent


@pytest.mark.parametrize(("amount", "currency"), [("1.234", "KWD"), ("5.10", "MGA"), ("0", "USD"), ("-1", "USD"), ("1.005", "USD"), ("9899.5", "JPY")])
def test_an_amount_that_the_gateway_cannot_move_exactly_is_refused_and_never_rounded(amount, currency):
    with pytest.raises(NotSendable):
        to_gateway(Money(Decimal(amount), currency))


def test_what_comes_back_is_read_in_either_case():
    assert from_gateway(9899, "jpy") == Money.from_minor(9899, "JPY")
    assert from_gateway(1230, "KWD") == Money(Decimal("1.230"), "KWD")


def test_the_smallest_step_is_told_in_the_currency():
    assert str(least("KWD")) == "0.010 KWD"
    assert str(least("USD")) == "0.01 USD"


def test_every_exception_is_about_a_currency_that_the_kernel_knows():
    assert EXPONENTS.keys() | MULTIPLES.keys() <= kernel.EXPONENTS.keys()


@given(minor=st.integers(1, 10**12), currency=st.sampled_from(sorted(kernel.EXPONENTS)))
def test_whatever_can_be_sent_comes_back_as_it_was(minor, currency):
    money = Money.from_minor(minor, currency)
    try:
        sent = to_gateway(money)
    except NotSendable:
        return

    assert from_gateway(sent, currency) == money
