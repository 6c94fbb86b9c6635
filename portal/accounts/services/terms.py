"""Accepting the terms of service for an Organisation."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from portal.accounts import queries
from portal.accounts.models import Organisation, TermsAcceptance, User
from portal.accounts.services import audit
from portal.kernel.errors import Conflict


class TermsChanged(Conflict):
    """The terms changed while you were reading. Please read the present ones."""

    code = "terms_changed"


@transaction.atomic
def accept(*, by: User, organisation: Organisation, address: str | None, now: datetime, version: str = "") -> None:
    """Record that `by` accepted the present terms for the Organisation. A repeat, or nothing to accept, changes nothing. `version` is the one that he
    read; raises TermsChanged when it is no longer the present one."""
    terms = queries.current_terms(now)
    if terms is None:
        return
    if version and version != terms.version:
        raise TermsChanged(version=terms.version)
    _, new = TermsAcceptance.objects.get_or_create(user=by, organisation=organisation, terms=terms, defaults={"accepted_at": now, "address": address})
    if new:
        audit.record(verb="terms.accepted", subject=organisation.number, by=by, organisation=organisation, now=now, version=terms.version)
