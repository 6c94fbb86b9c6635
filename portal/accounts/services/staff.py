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
