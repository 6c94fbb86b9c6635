"""What rentals has said to the floors above and nobody has worked on yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rentals.models import Announcement


@dataclass(frozen=True, slots=True)
class Announced:
    id: int
    kind: str
    subject: str
    facts: dict[str, Any]
    announced_at: datetime


def open_announcements(kinds: Iterable[str], *, most: int = 100) -> list[Announced]:
    """The oldest unhandled Announcements of these kinds."""
    rows = Announcement.objects.filter(handled_at__isnull=True, kind__in=list(kinds)).order_by("id")[:most]
    return [Announced(row.pk, row.kind, row.subject, row.facts, row.announced_at) for row in rows]
