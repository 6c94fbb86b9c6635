"""Telling people. One row per person and key; mail follows from the row."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from portal.accounts.models import Membership, Notification, Organisation, User
from portal.toolkit.tasks import after_commit

BOOKING_ROLES = (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER)
MONEY_ROLES = (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.BILLING)


def notify(
    *, users: Iterable[User], kind: str, key: str, subject: str, path: str, now: datetime, organisation: Organisation | int | None = None, **facts: object
) -> int:
    """Tell each of `users` once (by `key`), on the page and by mail. Returns how many had not been told before. `kind` names the template pair
    templates/mail/<kind>.txt (subject on the first line)."""
    rows = [
        Notification(
            user=user,
            organisation_id=getattr(organisation, "pk", organisation),
            kind=kind,
            key=key,
            subject=subject,
            path=path,
            facts=facts,
            created_at=now,
            next_mail_at=now,
        )
        for user in users
    ]
    before = Notification.objects.filter(key=key).count()
    Notification.objects.bulk_create(rows, ignore_conflicts=True)
    told = Notification.objects.filter(key=key).count() - before
    if told:
        after_commit("accounts.send_mail", key=key)
    return told
