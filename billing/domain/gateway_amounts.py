"""Amounts as the card gateway counts them: the smallest unit, with its own exceptions from ISO 4217 (money.md 9.3).

The gateway's documentation names the exceptions; none has been tried against the live interface, so a currency among them is refused at the edge until an
operator has put it on sale on purpose.
"""

from __future__ import annotations

from decimal import Decimal

from portal.kernel.errors import InvalidInput
from portal.kernel.money import Money, exponent

EXPONENTS = {"MGA": 0, "ISK": 2, "UGX": 2}
MULTIPLES = {"ISK": 100, "UGX": 100, "BHD": 10, "KWD": 10, "TND": 10}


class NotSendable(InvalidInput):
    """The payment service cannot move this exact amount."""

    code = "amount_not_sendable"


def to_gateway(money: Money) -> int:
    """The integer that the gateway is asked for. Raises NotSendable for what it cannot move exactly: nothing is ever rounded on the way out."""
    scaled = money.amount.scaleb(_exponent(money.currency))
    if scaled <= 0 or scaled != scaled.to_integral_value() or int(scaled) % MULTIPLES.get(money.currency, 1):
        raise NotSendable(amount=str(money), step=str(least(money.currency)))
    return int(scaled)


def from_gateway(amount: int, currency: str) -> Money:
    """The Money that the gateway's integer means. `currency` in either case."""
    code = currency.upper()
    return Money(Decimal(amount).scaleb(-_exponent(code)), code)


def least(currency: str) -> Money:
    """The smallest step that the gateway moves in `currency`."""
    return from_gateway(MULTIPLES.get(currency, 1), currency)


def _exponent(currency: str) -> int:
    return EXPONENTS.get(currency, exponent(currency))
