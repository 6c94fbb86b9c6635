"""{% load payments %}: how the gateway's reasons read."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext_lazy as _

from billing.exports import base

register = template.Library()
FAILURES = {
    "generic_decline": _("The bank declined the card without saying why."),
    "card_declined": _("The bank declined the card without saying why."),
    "do_not_honor": _("The bank declined the card without saying why."),
    "insufficient_funds": _("The card has insufficient funds."),
    "expired_card": _("The card has expired."),
    "incorrect_cvc": _("The card's security code was wrong."),
    "incorrect_number": _("The card's number was wrong."),
    "authentication_required": _("The bank asks you to confirm the payment."),
    "payment_intent_authentication_failure": _("The bank could not confirm that it was you."),
    "processing_error": _("The bank had a fault of its own."),
    "card_velocity_exceeded": _("The card's limit is reached."),
}


@register.filter
def failure_words(code: str) -> str:
    """Why a card did not pay, in a sentence; a general one for a reason that we have no words for."""
    return str(FAILURES.get(code, _("The payment service could not charge this card.")))


@register.filter
def reason_words(reason: str) -> str:
    """Why money went back: the portal's own reasons in the reader's language, a person's as written."""
    return str(base.REASONS.get(reason, reason))
