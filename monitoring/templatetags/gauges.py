"""{% load gauges %}: how a reading looks. A missing one says so; it is never 0 and never a dash that could be one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from monitoring.domain import faults, samples, wire
from monitoring.domain.display import SILENT, Card, Face
from portal.toolkit import formats

register = template.Library()

STRIP_HEIGHT, BAR, STEP = 32, 5, 18  # of the small bars, in px


@register.simple_tag
def reading(value: float | None, unit: str = "", digits: int = 0, field: str = "") -> SafeString:
    """A figure and its unit, or n/a. `field` names it for the script that keeps it moving."""
    missing = value is None
    text = _("n/a") if value is None else _figure(value, digits)
    return format_html(
        '<span class="reading{}"{}><span data-value>{}</span>{}</span>',
        " is-missing" if missing else "",
        format_html(' data-field="{}" data-digits="{}"', field, digits) if field else "",
        text,
        format_html('<span class="unit">{}{}</span>', formats.THIN_SPACE, unit) if unit else "",
    )


@register.filter
def gib(mebibytes: float | None) -> float | None:
    """MiB as GiB."""
    return None if mebibytes is None else mebibytes / 1024


@register.filter
def spread(values: tuple[float | None, ...], measure: str) -> str:
    """Least, mean and greatest in one cell."""
    if values[0] is None:
        return _("n/a")
    scale, digits = (1024, 1) if measure == "memory_used" else (1, 0)
    return " · ".join(_figure((value or 0) / scale, digits) for value in values)


def _figure(value: float, digits: int) -> str:
    return formats.decimal_text(Decimal(f"{value:.{digits}f}"), least=digits, most=digits)


@register.filter
def throttle_word(name: str) -> str:
    """What slows a GPU down, in the viewer's language."""
    return _throttle_words().get(name, name)


def _throttle_words() -> dict[str, str]:
    return {
        "hardware slowdown": _("slowed by its hardware"),
        "software thermal": _("slowed: too warm"),
        "hardware thermal": _("slowed: too hot"),
        "power brake": _("slowed: power brake"),
    }


@register.filter
def advice(code: str) -> str:
    """What a fault calls for, in the viewer's language."""
    words = {
        faults.RESTART_APPLICATION: _("Restart the application."),
        faults.FOLLOWS_ANOTHER: _("Follows from another error."),
        faults.NEXT_RESET: _("Takes effect when the GPU is next reset."),
        faults.INVESTIGATE: _("The operator looks into it."),
        faults.BEING_DRAINED: _("The server is taken out after your booking."),
        faults.RESET_GPU: _("The GPU must be reset."),
        faults.RESTART_SERVER: _("The server must be restarted."),
        faults.RECOVERY_ACTION: _("The driver says how to recover."),
        faults.UNKNOWN: _("See the documentation of the driver."),
    }
    return words[faults.meaning(code)]


@register.simple_tag
def live_words() -> dict[str, Any]:
    """The words that the script of the live page needs."""
    return {
        "na": _("n/a"),
        "live": _("live"),
        "reconnecting": _("reconnecting"),
        "paused": _("paused"),
        "over": _("The booking has ended."),
        "shutOut": _("You may no longer watch this."),
        "stale": _("last reading %(seconds)s s ago"),
        "never": _("no reading yet"),
        "reporting": _("%(reporting)s of %(expected)s reporting"),
        "states": [*wire.STATES, SILENT],
        "throttles": {bit: _throttle_words()[name] for bit, name in samples.THROTTLE_WARNINGS.items()},
    }


@register.simple_tag
def strip_bars(face: Face) -> SafeString:
    """Two small bars for each GPU of a Server, utilisation and memory, as a drawing with a text for screen readers."""
    width = max(1, len(face.cards)) * STEP
    texts = [f"{card.line.label}: {_percent(_utilisation(card))}, {_('memory')} {_percent(card.memory_percent)}" for card in face.cards]
    return format_html(
        '<svg class="bar-strip" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">{3}</svg>',
        width,
        STRIP_HEIGHT,
        "; ".join(texts),
        format_html_join("", "{}{}", ((_bar(card, place, 0), _bar(card, place, 1)) for place, card in enumerate(face.cards))),
    )


def _bar(card: Card, place: int, which: int) -> SafeString:
    value = card.memory_percent if which else _utilisation(card)
    left = place * STEP + 2 + which * (BAR + 2)
    height = 0 if value is None else max(1, round(STRIP_HEIGHT * value / 100))
    back = format_html('<rect class="{}" x="{}" y="0" width="{}" height="{}" rx="1"/>', "bar-missing" if value is None else "bar-back", left, BAR, STRIP_HEIGHT)
    kind = "bar-memory" if which else "bar-use"
    return format_html('{}<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="1"/>', back, kind, left, STRIP_HEIGHT - height, BAR, height)


def _utilisation(card: Card) -> float | None:
    """The board's, or under MIG the mean of its instances."""
    return card.sample.utilisation if not card.sample.mig else samples.mean(part.utilisation for part in card.parts)


def _percent(value: float | None) -> str:
    return _("n/a") if value is None else f"{round(value)} %"
