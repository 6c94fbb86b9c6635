"""The catalog's filters as they stand in the address. What cannot be read is told at the field and does not filter."""

from __future__ import annotations

from datetime import timedelta, tzinfo
from decimal import Decimal

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from portal.kernel.period import Period
from portal.toolkit import fields
from rentals.domain import days, offers

SORTS = [
    ("recommended", _("Recommended")),
    ("price", _("Price per hour")),
    ("gpu_price", _("Price per GPU-hour")),
    ("memory", _("Most GPU memory")),
    ("free", _("Free soonest")),
]
BUCKETS = {"slice": _("a slice"), "1": "1", "2-4": "2–4", "8": "8", "12+": "12–16"}
LINKS = {offers.NO_LINK: _("none (slice)")}
MEMORY = [("", _("any")), *((size, f"≥ {size} GB") for size in (16, 40, 80, 160, 320, 640))]
MOST_DAYS = 90


class Words(forms.MultipleChoiceField):
    """Any words: a facet's choices come from what is on offer, and an unknown one simply finds nothing."""

    def valid_value(self, value: str) -> bool:
        return True


class Filter(forms.Form):
    q = forms.CharField(label=_("Search"), required=False, max_length=80)
    gpu = Words(label=_("GPU"), required=False)
    count = Words(label=_("GPUs"), required=False)
    link = Words(label=_("Link between GPUs"), required=False)
    memory = forms.TypedChoiceField(
        label=_("GPU memory in total"),
        required=False,
        choices=MEMORY,
        coerce=int,
        empty_value=0,  # type: ignore[arg-type]  # the stubs know text only
    )
    price = forms.DecimalField(label=_("At most per hour"), required=False, min_value=0, max_digits=9, decimal_places=2)
    start = fields.Day(label=_("Free from"), required=False)
    days = forms.IntegerField(label=_("for days"), required=False, min_value=1, max_value=MOST_DAYS)
    sort = forms.ChoiceField(label=_("Sort by"), required=False, choices=SORTS)
    currency = forms.ChoiceField(label=_("Currency"), required=False, choices=[(code, code) for code in settings.CURRENCIES])

    def filters(self) -> offers.Filters:
        """What was understood of it; call after `is_valid`."""
        read = self.cleaned_data
        return offers.Filters(
            words=read.get("q", ""),
            gpu=frozenset(read.get("gpu", [])),
            count=frozenset(read.get("count", [])),
            link=frozenset(read.get("link", [])),
            memory=read.get("memory") or 0,
            price=None if read.get("price") is None else Decimal(read["price"]),
            needs_dates=bool(read.get("start")),
            sort=read.get("sort") or "recommended",
        )

    def currency_code(self, default: str) -> str:
        return self.cleaned_data.get("currency") or default

    def wanted(self, zone: tzinfo, earliest) -> Period | None:
        """The days that were asked for, from `earliest` on; None when no start was given or all of them have passed."""
        start = self.cleaned_data.get("start")
        if not start:
            return None
        asked = days.span_of(start, self.cleaned_data.get("days") or 1, zone)
        return asked.clipped(Period.starting(earliest, timedelta(days=400)))
