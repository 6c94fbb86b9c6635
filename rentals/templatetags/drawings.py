"""{% load drawings %}: GPU squares, sparklines, the heat map and topologies as SVG. Colours are classes, so that dark mode and paper work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from babel import dates
from django import template
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.toolkit import formats
from rentals.domain import offers, topology
from rentals.forms import catalog as forms

register = template.Library()
SQUARE, GAP, BAR, BAR_GAP, HEIGHT = 14, 3, 7, 2, 28


@dataclass(frozen=True, slots=True)
class Square:
    x: int
    y: int
    series: int
    width: int = SQUARE


@register.inclusion_tag("rentals/_squares.html")
def gpu_squares(groups: tuple[offers.GpuGroup, ...]) -> dict:
    """One square for each GPU, eight in a row, a gap between models; of a slice the share of the GPU's memory is filled."""
    squares: list[Square] = []
    row = 0
    for group in groups:
        width = SQUARE * group.slices // 8 if group.slices else SQUARE
        squares += [
            Square(index % 8 * (SQUARE + GAP), (row + index // 8) * (SQUARE + GAP), topology.series_of(group.family), width) for index in range(group.count)
        ]
        row += (group.count + 7) // 8
    wide = max(square.x for square in squares) + SQUARE
    outlines = [square for square in squares if square.width != SQUARE]
    return {"squares": squares, "outlines": outlines, "width": wide, "height": row * (SQUARE + GAP) - GAP, "side": SQUARE, "groups": groups}


@register.inclusion_tag("rentals/_spark.html")
def spark(days: tuple[offers.Day, ...]) -> dict:
    """What is free at least on each day, as bars against the total; a day with nothing free is a dot on the ground."""
    bars = []
    for index, day in enumerate(days):
        height = max(2, HEIGHT * day.least // day.total) if day.total and day.least else 2
        bars.append({"x": index * (BAR + BAR_GAP), "y": HEIGHT - height, "height": height, "day": day, "level": day.level})
    least = [day.least for day in days]
    width = len(days) * (BAR + BAR_GAP) - BAR_GAP
    return {"bars": bars, "width": width, "height": HEIGHT, "bar_side": BAR, "fewest": min(least, default=0), "most": max(least, default=0)}


@register.inclusion_tag("rentals/_topology.html")
def topology_drawing(drawing: topology.Drawing, title: str, text: str) -> dict:
    """A topology as an SVG with title and description."""
    return {"drawing": drawing, "title": title, "text": text}


@register.filter
def facet_word(value: str, facet: str) -> object:
    """The option of a facet in words."""
    words: dict[str, dict[str, Any]] = {"count": forms.BUCKETS, "link": forms.LINKS}
    return words.get(facet, {}).get(value, value)


ROLES = {"train": _("train"), "serve": _("serve"), "main": _("main run"), "side": _("side runs"), "node": _("node")}


@register.filter
def role_word(role: str) -> object:
    """What a component is for, in words."""
    return ROLES.get(role, role)


LEVELS = {"free": _("free"), "few": _("few left"), "part": _("free for part of the day"), "none": _("taken")}


@register.filter
def level_word(level: str) -> object:
    return LEVELS[level]


@register.filter
def start_value(day: offers.Day) -> str:
    """What the form's start holds when the day is chosen: its midnight, nothing ("now") for today."""
    return f"{day.on.isoformat()}T00:00" if day.on > timezone.localdate() else ""


@register.filter
def weekday(day: date) -> str:
    """Mon, 周一."""
    return dates.format_date(day, "EEE", locale=formats.locale())


@register.filter
def tb(gigabytes: int) -> str:
    """Gigabytes as people say them: 512 GB, 2 TB (1 TB = 1024 GB for memory)."""
    if gigabytes >= 1024 and gigabytes % 512 == 0:
        return f"{formats.decimal_text(gigabytes // 1024 if gigabytes % 1024 == 0 else gigabytes / 1024)}{formats.THIN_SPACE}TB"
    return f"{formats.decimal_text(gigabytes)}{formats.THIN_SPACE}GB"
