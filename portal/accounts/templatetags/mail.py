"""{% load mail %}: how facts of a notification look in its mail."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils import timezone

from portal.toolkit import formats

register = template.Library()


@register.filter
def when(written: str) -> str:
    """A moment written as ISO 8601 in the facts, in the reader's zone, named."""
    return formats.moment_text(datetime.fromisoformat(written), now=timezone.now(), form="full")
