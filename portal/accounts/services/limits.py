"""What an Organisation may do at most. On by default, changed by our staff."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from portal.accounts.models import Organisation, User
from portal.accounts.services import audit


@transaction.atomic
def change(*, organisation: Organisation, spend_cap_minor: int, quantity_cap: int, payment_attempts_cap: int, by: User, now: datetime) -> Organisation:
    """Set the limits; the audit entry, which the customer can read, says from what to what."""
    row = Organisation.objects.select_for_update().get(pk=organisation.pk)
    wanted = {"spend_cap_minor": spend_cap_minor, "quantity_cap": quantity_cap, "payment_attempts_cap": payment_attempts_cap}
    changed = {name: [getattr(row, name), value] for name, value in wanted.items() if getattr(row, name) != value}
    if changed:
        for name in changed:
            setattr(row, name, wanted[name])
        row.save(update_fields=list(changed))
        audit.record(verb="limits.changed", subject=row.number, by=by, organisation=row, now=now, **changed)
    return row
