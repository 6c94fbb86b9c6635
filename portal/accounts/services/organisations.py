"""Founding Organisations and changing who belongs to them."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from portal.accounts.models import Membership, Organisation, User
from portal.accounts.services import audit
from portal.kernel.errors import Conflict


class AlreadyMember(Conflict):
    """This person belongs to the organisation already."""

    code = "already_member"


@transaction.atomic
def found(*, by: User, now: datetime, name: str, **details: object) -> Organisation:
    """Create an Organisation owned by `by`. `details` are the fields of the billing address form."""
    organisation = Organisation.objects.create(name=name, created_at=now, **details)
    Membership.objects.create(organisation=organisation, user=by, role=Membership.Role.OWNER, joined_at=now)
    audit.record(verb="organisation.founded", subject=organisation.number, by=by, organisation=organisation, now=now)
    return organisation


def add_member(*, organisation: Organisation, user: User, role: str, by: User | None, now: datetime) -> Membership:
    """Make `user` a member. Raises AlreadyMember."""
    try:
        with transaction.atomic():
            membership = Membership.objects.create(organisation=organisation, user=user, role=role, joined_at=now)
            audit.record(verb="membership.added", subject=organisation.number, by=by, organisation=organisation, now=now, user=user.email, role=role)
    except IntegrityError as error:
        raise AlreadyMember() from error
    return membership
