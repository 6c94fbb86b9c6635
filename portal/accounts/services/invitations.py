"""Inviting people to an Organisation by mail. Whoever holds the link may accept it once; only its hash is stored."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from portal.accounts.domain import roles
from portal.accounts.models import Invitation, Membership, Organisation, User
from portal.accounts.queries import access, invitations, tokens
from portal.accounts.services import audit, letters, memberships, organisations
from portal.kernel.errors import Conflict, InvalidInput, NotFound
from portal.toolkit import rates

VALID = timedelta(days=14)
MOST_A_DAY = 50


class InvitationOver(Conflict):
    """This invitation was used, withdrawn or has expired. Ask for a new one."""

    code = "invitation_over"


class UnknownRole(InvalidInput):
    """There is no such role."""

    code = "unknown_role"


def invite(*, organisation: Organisation, email: str, role: str, by: User, now: datetime) -> Invitation:
    """Mail an invitation, valid for 14 days; an earlier open one to the same address is void. Raises UnknownRole, BeyondYourRole, AlreadyMember,
    rates.TooOften."""
    email = email.strip().lower()
    if role not in roles.EVERYONE:
        raise UnknownRole(field="role")
    if not roles.may_grant(own=access.role_of(by, organisation), role=role):
        raise memberships.BeyondYourRole(field="role")
    if Membership.objects.filter(organisation=organisation, user__email=email).exists():
        raise organisations.AlreadyMember(field="email")
    rates.hit(name=f"invitations:{organisation.pk}", most=MOST_A_DAY, seconds=86_400)
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        Organisation.objects.select_for_update().get(pk=organisation.pk)
        Invitation.objects.filter(organisation=organisation, email=email, accepted_at__isnull=True, withdrawn_at__isnull=True).update(withdrawn_at=now)
        invitation = Invitation.objects.create(
            organisation=organisation,
            email=email,
            role=role,
            token_hash=tokens.digest(secret),
            invited_by=by,
            invited_at=now,
            expires_at=now + VALID,
        )
        audit.record(verb="invitation.sent", subject=organisation.number, by=by, organisation=organisation, now=now, email=email, role=role)
        _mail(invitation, secret, now)
    return invitation


@transaction.atomic
def withdraw(*, organisation: Organisation, invitation_id: int, by: User, now: datetime) -> None:
    """Make an open invitation void; one that is void or used stays so. Raises NotFound."""
    invitation = Invitation.objects.filter(organisation=organisation, pk=invitation_id).first()
    if invitation is None:
        raise NotFound()
    if Invitation.objects.filter(pk=invitation.pk, accepted_at__isnull=True, withdrawn_at__isnull=True).update(withdrawn_at=now):
        audit.record(verb="invitation.withdrawn", subject=organisation.number, by=by, organisation=organisation, now=now, email=invitation.email)


@transaction.atomic
def accept(*, secret: str, by: User, now: datetime) -> Organisation:
    """Join the Organisation with the invited role and work in it. Raises InvitationOver, AlreadyMember."""
    found = invitations.open_invitation(secret, now)
    if found is None:
        raise InvitationOver()
    moved = Invitation.objects.filter(pk=found.pk, accepted_at__isnull=True, withdrawn_at__isnull=True, expires_at__gt=now).update(accepted_at=now)
    if not moved:
        raise InvitationOver()
    organisation = found.organisation
    organisations.add_member(organisation=organisation, user=by, role=found.role, by=by, now=now)
    organisations.switch(user=by, organisation=organisation)
    audit.record(verb="invitation.accepted", subject=organisation.number, by=by, organisation=organisation, now=now, email=found.email, role=found.role)
    return organisation


def _mail(invitation: Invitation, secret: str, now: datetime) -> None:
    known = User.objects.filter(email=invitation.email).first()
    language = known.language if known else translation.get_language() or "en"
    with translation.override(language):
        role_name = str(Membership.Role(invitation.role).label)
        inviter = str(invitation.invited_by or _("Someone"))
    letters.write(
        address=invitation.email,
        kind="invitation",
        now=now,
        user=known,
        language=language,
        organisation=invitation.organisation,
        path=reverse("accounts:invitation", args=[secret]),
        facts={"inviter": inviter, "role_name": role_name, "expires_at": invitation.expires_at.isoformat()},
    )
