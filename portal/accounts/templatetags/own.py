"""{% load own %}: the pages about oneself and about an Organisation, for the row of links above them."""

from __future__ import annotations

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.accounts.domain import roles
from portal.accounts.templatetags.verbs import VERBS

register = template.Library()
PERSON = (
    ("accounts:profile", _("Profile")),
    ("account_email", _("E-mail")),
    ("account_change_password", _("Password")),
    ("mfa_index", _("Second step")),
    ("accounts:ssh-keys", _("SSH keys")),
    ("accounts:tokens", _("API tokens")),
    ("accounts:notifications", _("Notifications")),
)
ORGANISATION = (
    ("accounts:organisation", _("Address")),
    ("accounts:members", _("People")),
    ("accounts:projects", _("Projects")),
    ("accounts:limits", _("Limits")),
    ("accounts:audit", _("Audit log")),
)


@register.simple_tag
def organisation_pages(role: str) -> tuple[tuple[str, Promise], ...]:
    """Names and labels of the pages about an Organisation that someone with `role` ("" for staff) may open."""
    return tuple(place for place in ORGANISATION if place[0] != "accounts:audit" or role in ("", *roles.PAYERS))


@register.filter
def verb_words(verb: str) -> str:
    """What a verb of the audit log says, in words; a verb that nobody has worded yet as it is."""
    return str(VERBS.get(verb, verb))


@register.filter
def fact_words(value: object) -> str:
    """A fact of the audit log as people write it: lists by commas, a change as from → to."""
    if isinstance(value, list):
        pair = len(value) == 2 and not any(isinstance(each, str) for each in value)
        return (" → " if pair else ", ").join(str(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {each}" for name, each in value.items())
    return str(value)


@register.simple_tag
def own_pages() -> tuple[tuple[str, Promise], ...]:
    """Names and labels of the pages about oneself."""
    return PERSON
