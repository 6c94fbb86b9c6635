"""Speaking upward: a row in the same transaction as the fact, a ring on commit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from rentals import signals
from rentals.models import Announcement
from rentals.queries import announcements

log = logging.getLogger(__name__)


def announce(*, kind: str, subject: str, now: datetime, **facts: object) -> None:
    """Write the Announcement inside the caller's transaction; ring `announced` once it has committed. A receiver that fails costs one sweep."""
    Announcement.objects.create(kind=kind, subject=subject, facts=facts, announced_at=now)
    transaction.on_commit(lambda: signals.announced.send_robust(sender=Announcement, kind=kind))


def handle(*, kind: str, act: Callable[[announcements.Announced], object], now: datetime) -> int:
    """Call `act` for every open Announcement of `kind`, each in a transaction of its own that also marks it handled. Returns how many were handled.

    A row that another worker holds is left to him; one whose `act` raises stays open for the next sweep and does not stop the others.
    """
    return sum(_handle_one(announced, act, now) for announced in announcements.open_announcements([kind]))


def _handle_one(announced: announcements.Announced, act: Callable[[announcements.Announced], object], now: datetime) -> bool:
    try:
        with transaction.atomic():
            if not Announcement.objects.select_for_update(skip_locked=True).filter(pk=announced.id, handled_at__isnull=True).exists():
                return False
            act(announced)
            Announcement.objects.filter(pk=announced.id).update(handled_at=now)
    except Exception:  # whatever the floor above could not do now: the row stays open
        log.exception("announcement %s (%s %s) stays open", announced.id, announced.kind, announced.subject)
        return False
    return True
