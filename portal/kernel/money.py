"""Money: a Decimal amount and an ISO 4217 currency. Never a float. Rounding is half-up, away from zero (money.md 2; commercial rounding, DIN 1333)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

# Minor-unit exponents, ISO 4217 table A.1 (SIX, list one). Only currencies that the portal can be set up to sell in.
EXPONENTS = {
    "USD": 2, "EUR": 2, "CNY": 2, "GBP": 2, "HKD": 2, "SGD": 2, "CHF": 2, "SEK": 2, "NOK": 2, "DKK": 2, "PLN": 2,
    "AUD": 2, "CAD": 2, "INR": 2, "JPY": 0, "KRW": 0, "ISK": 0, "UGX": 0, "MGA": 2, "KWD": 3, "BHD": 3, "TND": 3,
}  # fmt: skip


class UnknownCurrency(ValueError):
    """This currency is not in the table of minor units."""


class CurrencyMismatch(ValueError):
    """Amounts of two currencies never meet without an exchange rate."""


def exponent(currency: str) -> int:
    """Digits after the decimal point of `currency`; raises UnknownCurrency."""
    try:
        return EXPONENTS[currency]
    except KeyError:
        raise UnknownCurrency(currency) from None


def round_half_up(amount: Decimal, digits: int) -> Decimal:
    """`amount` rounded to `digits` decimals, halves away from zero."""
    return amount.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount. `rounded()` gives the amount in whole minor units; only such an amount can become `minor`."""

    amount: Decimal
    currency: str

    def __post_init__(self) -> None:
        if not isinstance(self.amount, Decimal):
            raise TypeError(f"Money takes a Decimal, not {type(self.amount).__name__}")
        if not self.amount.is_finite():
            raise ValueError("Money must be a finite amount")
        exponent(self.currency)

    @classmethod
    def from_minor(cls, minor: int, currency: str) -> Money:
        """The amount of `minor` whole minor units (cents)."""
        return cls(Decimal(minor).scaleb(-exponent(currency)), currency)

    @classmethod
    def zero(cls, currency: str) -> Money:
        return cls.from_minor(0, currency)

    @property
    def minor(self) -> int:
        """Whole minor units; raises ValueError when the amount is finer than the currency."""
        scaled = self.amount.scaleb(exponent(self.currency))
        if scaled != scaled.to_integral_value():
            raise ValueError(f"{self.amount} {self.currency} has not been rounded")
        return int(scaled)

    def rounded(self) -> Money:
        return Money(round_half_up(self.amount, exponent(self.currency)), self.currency)

    def __add__(self, other: Money) -> Money:
        return Money(self.amount + self._same(other).amount, self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.amount - self._same(other).amount, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.amount, self.currency)

    def __mul__(self, factor: Decimal | int) -> Money:
        if isinstance(factor, bool) or not isinstance(factor, (Decimal, int)):
            raise TypeError("Money is multiplied by a Decimal or an int")
        return Money(self.amount * factor, self.currency)

    __rmul__ = __mul__

    def __lt__(self, other: Money) -> bool:
        return self.amount < self._same(other).amount

    def __le__(self, other: Money) -> bool:
        return self.amount <= self._same(other).amount

    def __gt__(self, other: Money) -> bool:
        return self.amount > self._same(other).amount

    def __ge__(self, other: Money) -> bool:
        return self.amount >= self._same(other).amount

    def __bool__(self) -> bool:
        return self.amount != 0

    def __str__(self) -> str:
        return f"{round_half_up(self.amount, exponent(self.currency))} {self.currency}"

    def _same(self, other: Money) -> Money:
        if self.currency != other.currency:
            raise CurrencyMismatch(f"{self.currency} and {other.currency}")
        return other


def total(amounts: Sequence[Money], currency: str) -> Money:
    """The sum of `amounts`; zero of `currency` when there are none."""
    result = Money.zero(currency)
    for amount in amounts:
        result += amount
    return result


def split(whole: Money, weights: Sequence[Decimal | int]) -> list[Money]:
    """`whole` in parts proportional to `weights`, each in whole minor units: largest remainder, ties in stable order. The parts add up to `whole`."""
    sum_of_weights = sum((Decimal(weight) for weight in weights), Decimal(0))
    if not weights or sum_of_weights <= 0 or any(weight < 0 for weight in weights):
        raise ValueError("weights must be non-negative and add up to more than zero")
    sign = -1 if whole.minor < 0 else 1
    units = abs(whole.minor)
    exact = [Decimal(weight) * units / sum_of_weights for weight in weights]
    parts = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: -(exact[index] - parts[index]))
    for index in by_remainder[: units - sum(parts)]:
        parts[index] += 1
    return [Money.from_minor(sign * part, whole.currency) for part in parts]
