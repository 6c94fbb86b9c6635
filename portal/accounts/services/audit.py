"""Writing down who did what. Called inside the acting service's transaction, so that the entry and the act stand or fall together."""

from __future__ import annotations

from datetime import datetime

from portal.accounts.models import AuditEntry, Organisation, User


def record(*, verb: str, subject: str, now: datetime, by: User | None = None, organisation: Organisation | int | None = None, **facts: object) -> AuditEntry:
    """Add one AuditEntry. `verb` is dotted (booking.held), `subject` a public number, `facts` JSON-ready. Token and address come with `by`, if known."""
    return AuditEntry.objects.create(
        at=now,
        actor=by if by is not None and by.pk else None,
        token_id=getattr(by, "acting_token_id", None),
        organisation_id=getattr(organisation, "pk", organisation),
        verb=verb,
        subject=subject,
        facts=facts,
        address=getattr(by, "acting_address", None),
    )
