"""What amounts the vendor takes: currencies it knows, integers of the smallest unit, least amounts, and three-decimal currencies that end in 0.

Minima are the vendor's published ones for a settlement in the same currency (docs.stripe.com/currencies, read 2026); where it publishes none, a value
worth about half a dollar stands in, so that the check exists.
"""

from __future__ import annotations

from billing.gateways.simulated import faults

MINIMUM = {
    "usd": 50, "eur": 50, "gbp": 30, "jpy": 50, "cny": 400, "hkd": 400, "sgd": 50, "chf": 50, "sek": 300, "nok": 300, "dkk": 250, "pln": 200,
    "aud": 50, "cad": 50, "inr": 5000, "krw": 700, "kwd": 150, "bhd": 190, "tnd": 1600,
}  # fmt: skip
ENDS_IN_ZERO = {"kwd", "bhd", "tnd"}
MOST = 99_999_999


def integer(value: object, param: str) -> int:
    text = str(value)
    if not text.lstrip("-").isdigit():
        raise faults.invalid(f"Invalid integer: {text}", param=param, code="parameter_invalid_integer")
    return int(text)


def currency(value: object, param: str = "currency") -> str:
    """A known currency in lower case; refuses any other."""
    code = str(value).lower()
    if code not in MINIMUM:
        raise faults.invalid(f"Invalid currency: {code}.", param=param)
    return code


def amount(value: object, code: str, param: str = "amount") -> int:
    """An amount to charge that the vendor takes in `code`; refuses what is too small, too large or finer than it can move."""
    found = integer(value, param)
    if found < 1:
        raise faults.invalid("This value must be greater than or equal to 1.", param=param, code="parameter_invalid_integer")
    if found < MINIMUM[code]:
        raise faults.invalid(f"Amount must be at least {MINIMUM[code]} in the smallest unit of {code}.", param=param, code="amount_too_small")
    if found > MOST:
        raise faults.invalid("Amount must be no more than 99999999.", param=param, code="amount_too_large")
    return fine_enough(found, code, param)


def fine_enough(found: int, code: str, param: str = "amount") -> int:
    if code in ENDS_IN_ZERO and found % 10:
        raise faults.invalid(f"Amounts in {code} have three decimals, and the last digit must be 0.", param=param, code="parameter_invalid_integer")
    return found
