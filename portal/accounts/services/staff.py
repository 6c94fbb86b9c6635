"""Our own people."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from portal.accounts.models import StaffRole, User
from portal.accounts.services import audit


@transaction.atomic
def grant(*, user: User, role: str, by: User | None, now: datetime) -> None:
    """Give `user` a staff role; a role he has already stays as it is."""
    _, created = StaffRole.objects.get_or_create(user=user, role=role)
    if created:
        audit.record(verb="staff.granted", subject=user.email, by=by, now=now, role=role)


@transaction.atomic
def make_administrator(*, user: User, by: User | None, now: datetime) -> None:
    """Let `user` do everything, reference data included; an administrator stays one."""
    if User.objects.filter(pk=user.pk, is_superuser=False).update(is_superuser=True, is_staff=True):
        user.is_superuser = user.is_staff = True
        audit.record(verb="staff.administrator", subject=user.email, by=by, now=now)
