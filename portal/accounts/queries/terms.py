"""Versions of the terms of service."""

from __future__ import annotations

from datetime import datetime

from portal.accounts.models import Organisation, TermsAcceptance, TermsVersion
from portal.kernel.errors import NotFound


def terms_version(version: str, now: datetime) -> TermsVersion:
    """A published version by its name. Raises NotFound."""
    terms = TermsVersion.objects.filter(version=version, published_at__lte=now).first()
    if terms is None:
        raise NotFound()
    return terms


def terms_versions(now: datetime) -> list[TermsVersion]:
    """All published versions, the newest first."""
    return list(TermsVersion.objects.filter(published_at__lte=now).order_by("-published_at", "-pk").defer("text_en", "text_zh"))


def acceptance_of(organisation: Organisation, terms: TermsVersion) -> TermsAcceptance | None:
    """Who of the Organisation accepted this version first."""
    return TermsAcceptance.objects.filter(organisation=organisation, terms=terms).select_related("user").order_by("accepted_at", "pk").first()
