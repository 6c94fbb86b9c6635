"""Making, using and revoking API tokens."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from portal.accounts.domain import scopes as known
from portal.accounts.models import ApiToken, Organisation, User
from portal.accounts.queries import tokens
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, InvalidInput, NotFound

MOST_TOKENS = 20
SEEN_EVERY = timedelta(minutes=1)


class UnknownScope(InvalidInput):
    """A token needs at least one scope, and only scopes that exist."""

    code = "unknown_scope"


class TooManyTokens(Conflict):
    """You have as many tokens as one may have here. Revoke one first."""

    code = "too_many_tokens"


class AlreadyExpired(InvalidInput):
    """A token must expire in the future."""

    code = "already_expired"


@transaction.atomic
def create(
    *, user: User, organisation: Organisation, name: str, scopes: Iterable[str], expires_at: datetime | None, by: User, now: datetime
) -> tuple[ApiToken, str]:
    """Make a token and return it with its secret, which is shown this once and never stored. Raises UnknownScope, AlreadyExpired, TooManyTokens."""
    wanted = sorted(set(scopes))
    if not wanted or known.unknown(wanted):
        raise UnknownScope(field="scopes")
    if expires_at is not None and expires_at <= now:
        raise AlreadyExpired(field="expires_at")
    User.objects.select_for_update().get(pk=user.pk)
    if ApiToken.objects.filter(user=user, organisation=organisation, revoked_at__isnull=True).count() >= MOST_TOKENS:
        raise TooManyTokens()
    secret = tokens.PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        organisation=organisation,
        user=user,
        name=name,
        prefix=secret[:12],
        token_hash=tokens.digest(secret),
        scopes=wanted,
        created_at=now,
        expires_at=expires_at,
    )
    audit.record(verb="token.created", subject=token.prefix, by=by, organisation=organisation, now=now, name=name, scopes=wanted)
    return token, secret


@transaction.atomic
def revoke(*, user: User, organisation: Organisation, token_id: int, by: User, now: datetime) -> None:
    """End a token at once; one that is revoked stays so. Raises NotFound for a token that is not his."""
    token = ApiToken.objects.filter(pk=token_id, user=user, organisation=organisation).first()
    if token is None:
        raise NotFound()
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        audit.record(verb="token.revoked", subject=token.prefix, by=by, organisation=organisation, now=now, name=token.name)


def seen(*, token_id: int, now: datetime) -> None:
    """Keep when a token was last used, to the minute."""
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - SEEN_EVERY)
    ApiToken.objects.filter(stale, pk=token_id).update(last_used_at=now)
