"""Invitations that are still open."""

from __future__ import annotations

from datetime import datetime

from portal.accounts.models import Invitation, Organisation
from portal.accounts.queries import tokens


def open_invitation(secret: str, now: datetime) -> Invitation | None:
    """The invitation with this secret; None when it is unknown, used, withdrawn or expired."""
    still = Invitation.objects.filter(accepted_at__isnull=True, withdrawn_at__isnull=True, expires_at__gt=now)
    return still.filter(token_hash=tokens.digest(secret)).select_related("organisation", "invited_by").first()


def invitations_of(organisation: Organisation) -> list[Invitation]:
    """Those that nobody has accepted or withdrawn, the newest first; expired ones too, so that they can be sent again."""
    waiting = Invitation.objects.filter(organisation=organisation, accepted_at__isnull=True, withdrawn_at__isnull=True)
    return list(waiting.select_related("invited_by").order_by("-invited_at", "-pk")[:100])
