"""What a person was told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from portal.accounts.models import Notification, User
from portal.accounts.queries import letters
from portal.kernel.errors import NotFound
from portal.kernel.page import Page

PAGE = 30


@dataclass(frozen=True)
class Told:
    id: int
    headline: str
    organisation: str
    path: str
    at: datetime
    is_unread: bool


def notifications_of(user: User, *, after: str = "", unread_only: bool = False, most: int = PAGE) -> Page[Told]:
    """His notifications, the newest first; `after` is the cursor of the page before."""
    rows = Notification.objects.filter(user=user).select_related("organisation").order_by("-pk")
    if unread_only:
        rows = rows.filter(read_at__isnull=True)
    count = rows.count()
    if after.isascii() and after.isdigit():
        rows = rows.filter(pk__lt=int(after[:18]))
    shown = list(rows[: most + 1])
    return Page([_told(row, user) for row in shown[:most]], str(shown[most - 1].pk) if len(shown) > most else "", count)


def notification_path(user: User, notification_id: int) -> str:
    """Where one of his notifications leads. Raises NotFound for another's."""
    path = Notification.objects.filter(user=user, pk=notification_id).values_list("path", flat=True).first()
    if path is None:
        raise NotFound()
    return path


def _told(row: Notification, user: User) -> Told:
    return Told(row.pk, letters.headline(row, user), row.organisation.name if row.organisation else "", row.path, row.created_at, row.read_at is None)
