"""Lists to choose from, in the reader's language."""

from __future__ import annotations

import functools
import zoneinfo

import babel
from django.utils import translation
from django.utils.translation import gettext as _

NOT_COUNTRIES = frozenset({"EU", "EZ", "UN", "XA", "XB", "ZZ", "QO", "AC", "CP", "DG", "EA", "IC", "TA"})


def countries() -> list[tuple[str, str]]:
    return [("", _("Choose a country"))] + _countries(translation.get_language() or "en")


@functools.cache
def _countries(language: str) -> list[tuple[str, str]]:
    territories = babel.Locale.parse(translation.to_locale(language), sep="_").territories
    named = [(code, name) for code, name in territories.items() if len(code) == 2 and code.isalpha() and code not in NOT_COUNTRIES]
    return sorted(named, key=lambda pair: pair[1])


@functools.cache
def time_zones() -> list[tuple[str, str]]:
    """Zones named after a place, and UTC."""
    places = ("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")
    names = sorted(name for name in zoneinfo.available_timezones() if name.startswith(places))
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in names)]
