"""Telling people. One row per person and key, and one Letter for it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from portal.accounts.models import Membership, Notification, Organisation, User
from portal.accounts.services import letters

MONEY_ROLES = (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.BILLING)


@transaction.atomic
def notify(
    *, users: Iterable[User], kind: str, key: str, subject: str, path: str, now: datetime, organisation: Organisation | int | None = None, **facts: object
) -> int:
    """Tell each of `users` once (by `key`), on the page and by mail. Returns how many had not been told before. `kind` names the template
    templates/mail/<kind>.txt (its first line is the subject), which sees person, subject, url, organisation and facts."""
    people = {user.pk: user for user in users}
    told_before = set(Notification.objects.filter(key=key, user__in=people).values_list("user_id", flat=True))
    organisation_id = organisation.pk if isinstance(organisation, Organisation) else organisation
    rows = [
        Notification(user=user, organisation_id=organisation_id, kind=kind, key=key, subject=subject, path=path, facts=facts, created_at=now)
        for user in people.values()
        if user.pk not in told_before
    ]
    Notification.objects.bulk_create(rows, ignore_conflicts=True)  # a faster hand may have told one of them meanwhile
    return _write_letters(key=key, now=now) if rows else 0


def _write_letters(*, key: str, now: datetime) -> int:
    """A Letter for each Notification with `key` that has none."""
    untold = list(Notification.objects.select_for_update(of=("self",)).filter(key=key, letter__isnull=True).select_related("user").order_by("pk"))
    for row in untold:
        letters.write(
            address=row.user.email,
            kind=row.kind,
            now=now,
            user=row.user,
            organisation=row.organisation_id,
            notification=row,
            subject=row.subject,
            path=row.path,
            facts=row.facts,
        )
    return len(untold)


def mark_read(*, user: User, now: datetime, notification_id: int | None = None) -> int:
    """Mark one of his notifications as read, all of them when None; returns how many were unread."""
    unread = Notification.objects.filter(user=user, read_at__isnull=True)
    if notification_id is not None:
        unread = unread.filter(pk=notification_id)
    return unread.update(read_at=now)
