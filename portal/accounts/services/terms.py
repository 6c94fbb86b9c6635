"""Accepting the terms of service for an Organisation."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from portal.accounts import queries
from portal.accounts.models import Organisation, TermsAcceptance, User
from portal.accounts.services import audit


@transaction.atomic
def accept(*, by: User, organisation: Organisation, address: str | None, now: datetime) -> None:
    """Record that `by` accepted the present terms for the Organisation. A repeat, or nothing to accept, changes nothing."""
    terms = queries.current_terms(now)
    if terms is None:
        return
    _, new = TermsAcceptance.objects.get_or_create(user=by, organisation=organisation, terms=terms, defaults={"accepted_at": now, "address": address})
    if new:
        audit.record(verb="terms.accepted", subject=organisation.number, by=by, organisation=organisation, now=now, version=terms.version)
