"""{% load engines %}: the words for what an engine is asked to do."""

from __future__ import annotations

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

register = template.Library()

VERBS: dict[str, str | Promise] = {
    "prepare": _("Prepare"),
    "hand_over": _("Hand over"),
    "fence": _("Switch off"),
    "take_back": _("Detach the network"),
    "wipe": _("Wipe"),
    "validate": _("Validate"),
    "quarantine": _("Take out of the pool"),
    "return_to_service": _("Return to the pool"),
}


@register.simple_tag
def verb_word(verb: str) -> str:
    """What the operation does, in the reader's language."""
    return str(VERBS[verb])
