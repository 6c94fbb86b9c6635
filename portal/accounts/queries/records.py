"""Who did what in an Organisation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from portal.accounts.models import AuditEntry, Organisation
from portal.kernel.page import Page
from portal.kernel.period import in_utc

PAGE = 50


@dataclass(frozen=True)
class Filter:
    """Empty fields ask for nothing. `verb` matches from its beginning (booking, booking.held); days are the reader's."""

    verb: str = ""
    subject: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None


def audit_of(organisation: Organisation, wanted: Filter, *, after: str = "") -> Page[AuditEntry]:
    """The entries of an Organisation, the newest first; `after` is the cursor of the page before."""
    rows = _filtered(AuditEntry.objects.filter(organisation=organisation), wanted)
    count = rows.count()
    rows = rows.filter(_older_than(after)).select_related("actor", "token").order_by("-at", "-pk")
    shown = list(rows[: PAGE + 1])
    last = shown[PAGE - 1] if len(shown) > PAGE else None
    return Page(shown[:PAGE], f"{last.at:%Y-%m-%dT%H:%M:%S.%fZ}_{last.pk}" if last else "", count)


def history_of(subject: str, *, most: int = 30) -> list[AuditEntry]:
    """The newest entries about `subject` (a public number or serial) with their actors. One query; asks nobody's permission."""
    return list(AuditEntry.objects.filter(subject=subject).select_related("actor").order_by("-at", "-pk")[:most])


def verbs_of(organisation: Organisation) -> list[str]:
    """The nouns that stand in its audit entries (booking, invitation), for the filter."""
    verbs = AuditEntry.objects.filter(organisation=organisation).order_by("verb").values_list("verb", flat=True).distinct()
    return sorted({verb.partition(".")[0] for verb in verbs})


def _filtered(rows: Any, wanted: Filter) -> Any:
    conditions = {
        "verb__startswith": wanted.verb,
        "subject__iexact": wanted.subject,
        "actor__email__icontains": wanted.person,
        "at__gte": _midnight(wanted.since) if wanted.since else None,
        "at__lt": _midnight(wanted.until + timedelta(days=1)) if wanted.until else None,
    }
    return rows.filter(**{name: value for name, value in conditions.items() if value})


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


def _older_than(cursor: str) -> Q:
    """Rows after `cursor` in the order; all rows for a cursor that was not made here."""
    written, _underscore, pk = cursor.partition("_")
    try:
        at = in_utc(datetime.fromisoformat(written))
        return Q(at__lt=at) | Q(at=at, pk__lt=int(pk[:18]))
    except (ValueError, OverflowError):
        return Q()
