"""People and terms that an installation begins with: whoever sets it up vouches for them."""

from __future__ import annotations

from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import transaction

from portal.accounts.models import TermsVersion, User
from portal.accounts.services import audit


@transaction.atomic
def enrol(*, email: str, name: str, password: str, now: datetime, by: User | None = None, language: str = "en", time_zone: str = "UTC") -> User:
    """Create a person whose address counts as confirmed. One who is there already is returned as he is, his password too."""
    user = User.objects.filter(email=email.lower()).first()
    if user is not None:
        return user
    user = User.objects.create_user(email, password, name=name, language=language, time_zone=time_zone)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    audit.record(verb="person.enrolled", subject=user.email, by=by, now=now)
    return user


@transaction.atomic
def publish_terms(*, version: str, text_en: str, text_zh: str, now: datetime, by: User | None = None) -> TermsVersion:
    """Publish a version of the terms of service, to be accepted from `now` on. A version that is there already stays as it is."""
    terms, new = TermsVersion.objects.get_or_create(version=version, defaults={"published_at": now, "text_en": text_en, "text_zh": text_zh})
    if new:
        audit.record(verb="terms.published", subject=version, by=by, now=now)
    return terms
