"""The vendor's published test cards and how each behaves (docs.stripe.com/testing). No other number is a card here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    number: str
    token: str  # the ready-made payment method of this card
    brand: str = "visa"
    country: str = "US"
    challenge: bool = False  # asks the cardholder (3-D Secure) before it pays
    code: str = ""  # an error code: the card says no
    decline_code: str = ""
    message: str = ""
    refunds: str = "succeeded"  # what becomes of a refund to this card: succeeded, or pending first and then succeeded or failed


ALL = (
    Card("4242424242424242", "pm_card_visa"),
    Card("5555555555554444", "pm_card_mastercard", brand="mastercard"),
    Card("4000000000000002", "pm_card_visa_chargeDeclined", code="card_declined", decline_code="generic_decline", message="Your card was declined."),
    Card(
        "4000000000009995",
        "pm_card_visa_chargeDeclinedInsufficientFunds",
        code="card_declined",
        decline_code="insufficient_funds",
        message="Your card has insufficient funds.",
    ),
    Card("4000000000000069", "pm_card_chargeDeclinedExpiredCard", code="expired_card", message="Your card has expired."),
    Card("4000000000000127", "pm_card_chargeDeclinedIncorrectCvc", code="incorrect_cvc", message="Your card's security code is incorrect."),
    Card("4000002760003184", "pm_card_authenticationRequired", country="DE", challenge=True),
    Card("4000000000007726", "pm_card_pendingRefund", refunds="pending"),
    Card("4000000000005126", "pm_card_refundFail", refunds="failed"),
)
BY_NUMBER = {card.number: card for card in ALL}
BY_TOKEN = {card.token: card for card in ALL}
