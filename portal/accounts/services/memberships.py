"""Who belongs to an Organisation, and as what."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from portal.accounts.domain import roles
from portal.accounts.models import Membership, Organisation, User
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, NotAllowed, NotFound


class LastOwner(Conflict):
    """An organisation keeps at least one owner. Make someone else an owner first."""

    code = "last_owner"


class BeyondYourRole(NotAllowed):
    """Only an owner gives or takes the role of an owner."""

    code = "beyond_your_role"


@transaction.atomic
def change_role(*, organisation: Organisation, membership_id: int, role: str, by: User, now: datetime) -> Membership:
    """Give a member another role; the same role again changes nothing. Raises NotFound, BeyondYourRole, LastOwner."""
    members = _locked(organisation)
    membership = _one(members, membership_id)
    if membership.role == role:
        return membership
    own = _role_of(members, by)
    if not (roles.may_grant(own=own, role=membership.role) and roles.may_grant(own=own, role=role)):
        raise BeyondYourRole()
    _keep_an_owner(members, membership)
    old, membership.role = membership.role, role
    membership.save(update_fields=["role"])
    _record("membership.changed", membership, by=by, now=now, role=role, old=old)
    return membership


@transaction.atomic
def remove(*, organisation: Organisation, membership_id: int, by: User, now: datetime) -> None:
    """End a membership of a role that one may take. The person's tokens stop working with it. Raises NotFound, BeyondYourRole, LastOwner."""
    members = _locked(organisation)
    membership = _one(members, membership_id)
    if not roles.may_grant(own=_role_of(members, by), role=membership.role):
        raise BeyondYourRole()
    _end("membership.removed", members, membership, by=by, now=now)


@transaction.atomic
def leave(*, organisation: Organisation, by: User, now: datetime) -> None:
    """End one's own membership. Raises NotFound, LastOwner."""
    members = _locked(organisation)
    own = next((membership.pk for membership in members if membership.user_id == by.pk), 0)
    _end("membership.left", members, _one(members, own), by=by, now=now)


def _end(verb: str, members: list[Membership], membership: Membership, *, by: User, now: datetime) -> None:
    _keep_an_owner(members, membership)
    _record(verb, membership, by=by, now=now, role=membership.role)
    User.objects.filter(pk=membership.user_id, current_organisation=membership.organisation).update(current_organisation=None)
    membership.delete()


def _locked(organisation: Organisation) -> list[Membership]:
    """All memberships, locked in id order: two owners who demote each other at once must not both succeed."""
    return list(Membership.objects.select_for_update(of=("self",)).filter(organisation=organisation).select_related("user", "organisation").order_by("pk"))


def _one(members: list[Membership], membership_id: int) -> Membership:
    found = next((membership for membership in members if membership.pk == membership_id), None)
    if found is None:
        raise NotFound()
    return found


def _role_of(members: list[Membership], user: User) -> str:
    return next((membership.role for membership in members if membership.user_id == user.pk), "")


def _keep_an_owner(members: list[Membership], leaving: Membership) -> None:
    owners = sum(membership.role == roles.OWNER and membership.user.is_active for membership in members)
    if not roles.may_leave(role=leaving.role, owners=owners):
        raise LastOwner()


def _record(verb: str, membership: Membership, *, by: User, now: datetime, **facts: object) -> None:
    organisation = membership.organisation
    audit.record(verb=verb, subject=organisation.number, by=by, organisation=organisation, now=now, user=membership.user.email, **facts)
