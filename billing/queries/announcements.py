"""What billing has to say to the floor above."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from billing.models import Announcement


@dataclass(frozen=True, slots=True)
class Announced:
    """One unhandled Announcement. `subject` is the public number it is about; `facts` are JSON."""

    id: int
    kind: str
    subject: str
    facts: dict
    announced_at: datetime


def open_announcements(kinds: Iterable[str], *, limit: int = 200) -> list[Announced]:
    """Unhandled Announcements of these kinds, oldest first."""
    rows = Announcement.objects.filter(handled_at__isnull=True, kind__in=list(kinds)).order_by("id")[:limit]
    return [Announced(row.pk, row.kind, row.subject, row.facts, row.announced_at) for row in rows]
