"""{% load own %}: the pages about oneself and about an Organisation, for the row of links above them."""

from __future__ import annotations

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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


@register.simple_tag
def own_pages() -> tuple[tuple[str, Promise], ...]:
    """Names and labels of the pages about oneself."""
    return PERSON
