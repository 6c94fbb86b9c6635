"""{% load offers %}: how an offer's lines look."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import template
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def name_of(line: Any) -> str:
    """The Configuration's name in the reader's language."""
    return line.names.get(get_language() or "en", line.names["en"])


@register.filter
def at(items: Sequence, place: int) -> Any:
    """The item at `place`."""
    return items[place]


@register.filter
def as_decimal(written: str) -> Decimal:
    """A number kept as text in a snapshot."""
    return Decimal(written)
