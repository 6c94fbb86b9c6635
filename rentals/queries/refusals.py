"""Refusals in a sentence: what is short, when, why, and what can be had instead."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.toolkit import formats
from rentals.domain.availability import Refusal
from rentals.domain.limits import Broken, Rule
from rentals.domain.stock import Reason
from rentals.models import UnitKind


def why_not(refusal: Refusal) -> str:
    """One or two sentences for the person who asked, in his language and zone."""
    return _joined([_reason(refusal), *_instead(refusal)])


def facts_of(refusal: Refusal) -> dict[str, Any]:
    """The same for a program: JSON-ready."""
    return {
        "reason": refusal.reason.value,
        "limiting": refusal.limiting,
        "instants": [[span.start.isoformat(), span.end.isoformat()] for span in refusal.instants],
        "needed": refusal.needed,
        "free": refusal.free,
        "earliest_start": refusal.earliest_start.isoformat() if refusal.earliest_start else None,
        "largest_quantity": refusal.largest_quantity,
    }


def broken_rule(broken: Broken) -> str:
    """What a rule permits, in a sentence."""
    sentences = {
        Rule.NONE_WANTED: _("Choose a quantity of at least 1."),
        Rule.IN_THE_PAST: _("The start lies in the past. Leave it out to start as soon as possible."),
        Rule.TOO_SHORT: _("The shortest rental of this configuration is %(allowed)s."),
        Rule.TOO_LONG: _("The longest rental of this configuration is %(allowed)s."),
        Rule.TOO_FAR_AHEAD: _("Bookings may start until %(allowed)s at present."),
        Rule.TOO_MANY: _("Your organisation may have %(allowed)s more at that time. Ask us to raise the limit."),
        Rule.STORAGE_STEP: _("Storage is sold in steps of %(allowed)s TB."),
        Rule.STORAGE_TOO_LARGE: _("At most %(allowed)s TB of storage can be added."),
    }
    return sentences[broken.rule] % {"allowed": _shown(broken.allowed)}


def _shown(allowed: Any) -> str:
    if isinstance(allowed, timedelta):
        return formats.length_text(allowed)
    if isinstance(allowed, int):
        return formats.decimal_text(allowed)
    return _moment(allowed)


def _moment(at: Any) -> str:
    return formats.moment_text(at, now=timezone.now())


def _reason(refusal: Refusal) -> str:
    span = refusal.instants[0]
    shown = {
        "kind": _kind(refusal.limiting),
        "needed": formats.decimal_text(refusal.needed),
        "free": formats.decimal_text(refusal.free),
        "start": _moment(span.start),
        "end": _moment(span.end),
    }
    sentences = {
        Reason.TAKEN: _("%(kind)s: %(needed)s needed, %(free)s free throughout; the others are rented between %(start)s and %(end)s."),
        Reason.BUFFER: _("%(kind)s: %(needed)s needed, %(free)s free throughout; the others are prepared or wiped between %(start)s and %(end)s."),
        Reason.MAINTENANCE: _("%(kind)s: %(needed)s needed, %(free)s free throughout; the others are in maintenance between %(start)s and %(end)s."),
        Reason.LAYOUT: _("%(kind)s: the servers that would serve it are rented in another layout between %(start)s and %(end)s."),
        Reason.QUANTITY: _("%(kind)s: %(needed)s needed, %(free)s exist."),
        Reason.LIMIT: _("That start leaves no room to prepare the servers."),
    }
    return sentences[refusal.reason] % shown


def _instead(refusal: Refusal) -> list[str]:
    parts = []
    if refusal.earliest_start is not None:
        parts.append(_("The earliest start for this length is %(start)s.") % {"start": _moment(refusal.earliest_start)})
    if refusal.largest_quantity:
        count = refusal.largest_quantity
        parts.append(ngettext("%(count)s can be had for this time.", "%(count)s can be had for this time.", count) % {"count": formats.decimal_text(count)})
    return parts


def _joined(sentences: list[str]) -> str:
    """Chinese sentences follow one another without a space."""
    return ("" if formats.locale().startswith("zh") else " ").join(sentences)


def _kind(sku: str) -> str:
    if not sku:
        return _("This configuration")
    is_chinese = formats.locale().startswith("zh")
    return UnitKind.objects.filter(sku=sku).values_list("name_zh" if is_chinese else "name", flat=True).first() or sku
