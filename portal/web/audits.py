"""Looking at all books at once: each app says what is wrong with its own."""

from __future__ import annotations

from datetime import datetime

from billing.queries import audits as billing
from monitoring.queries import audits as monitoring
from portal.accounts.queries import audits as accounts
from rentals.queries import audits as rentals


def findings(*, now: datetime) -> dict[str, list[str]]:
    """What each app finds wrong; an empty list for one where all is well."""
    return {"accounts": accounts.audit(), "billing": billing.audit(), "rentals": rentals.audit(now=now), "monitoring": monitoring.audit(now=now)}
