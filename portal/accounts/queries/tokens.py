"""Who acts by a token."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from portal.accounts.models import ApiToken, Membership, Organisation, User

PREFIX = "gpr_"


@dataclass(frozen=True)
class Acting:
    """A person acting by a token: `user` carries the token and its Organisation for audit entries and loaders."""

    user: User
    token: int
    organisation: int
    scopes: frozenset[str]


def digest(secret: str) -> str:
    """What is stored of a token. Its 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def acting_by(secret: str, now: datetime) -> Acting | None:
    """Who acts by this token; None when it is unknown, revoked or expired, or when its person is inactive or has left the Organisation."""
    belongs = Membership.objects.filter(user=OuterRef("user"), organisation=OuterRef("organisation"))
    usable = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    tokens = ApiToken.objects.filter(usable, Exists(belongs), token_hash=digest(secret), revoked_at__isnull=True, user__is_active=True)
    token = tokens.select_related("user").first()
    if token is None:
        return None
    token.user.acting_token_id = token.pk
    token.user.acting_organisation_id = token.organisation_id
    return Acting(token.user, token.pk, token.organisation_id, frozenset(token.scopes))


def tokens_of(user: User, organisation: Organisation) -> list[ApiToken]:
    """His tokens in the Organisation, newest first; revoked ones too, so that an audit entry can be traced."""
    return list(ApiToken.objects.filter(user=user, organisation=organisation).order_by("-created_at", "-pk"))
