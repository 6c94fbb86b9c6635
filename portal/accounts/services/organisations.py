"""Founding Organisations and keeping their facts."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from portal.accounts.domain import addresses, tax_ids
from portal.accounts.models import Membership, Organisation, User
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, InvalidInput, NotFound

FACTS = (
    "name", "legal_name", "is_business", "street", "city", "postal_code", "region", "country", "tax_id", "billing_email", "currency", "time_zone",
)  # fmt: skip


class AlreadyMember(Conflict):
    """This person belongs to the organisation already."""

    code = "already_member"


class ImpossibleTaxId(InvalidInput):
    """This tax id is not possible in that country: check the digits, or leave it empty."""

    code = "impossible_tax_id"


class UnknownRegion(InvalidInput):
    """Give the two letters of the state or province: the tax depends on it."""

    code = "unknown_region"


@transaction.atomic
def found(*, by: User, now: datetime, name: str, **details: object) -> Organisation:
    """Create an Organisation owned by `by`, who works in it from now on. `details` are the fields of the billing address form.
    Raises ImpossibleTaxId, UnknownRegion."""
    organisation = Organisation.objects.create(name=name, created_at=now, **_checked(details))
    Membership.objects.create(organisation=organisation, user=by, role=Membership.Role.OWNER, joined_at=now)
    _work_in(by, organisation)
    audit.record(verb="organisation.founded", subject=organisation.number, by=by, organisation=organisation, now=now)
    return organisation


@transaction.atomic
def edit(*, organisation: Organisation, by: User, now: datetime, **details: object) -> Organisation:
    """Change the facts of the Organisation; the audit entry says which changed. Raises ImpossibleTaxId, UnknownRegion."""
    row = Organisation.objects.select_for_update().get(pk=organisation.pk)
    wanted = _checked({**{fact: getattr(row, fact) for fact in FACTS}, **details})
    changed = sorted(fact for fact in FACTS if getattr(row, fact) != wanted[fact])
    if changed:
        for fact in changed:
            setattr(row, fact, wanted[fact])
        row.save(update_fields=changed)
        audit.record(verb="organisation.edited", subject=row.number, by=by, organisation=row, now=now, changed=changed)
    return row


def switch(*, user: User, organisation: Organisation) -> None:
    """Make `organisation` the one he works in. Raises NotFound when he does not belong to it."""
    if not Membership.objects.filter(user=user, organisation=organisation).exists():
        raise NotFound()
    _work_in(user, organisation)


def add_member(*, organisation: Organisation, user: User, role: str, by: User | None, now: datetime) -> Membership:
    """Make `user` a member. Raises AlreadyMember."""
    try:
        with transaction.atomic():
            membership = Membership.objects.create(organisation=organisation, user=user, role=role, joined_at=now)
            audit.record(verb="membership.added", subject=organisation.number, by=by, organisation=organisation, now=now, user=user.email, role=role)
    except IntegrityError as error:
        raise AlreadyMember() from error
    return membership


def _work_in(user: User, organisation: Organisation) -> None:
    user.current_organisation = organisation
    User.objects.filter(pk=user.pk).update(current_organisation=organisation)


def _checked(details: dict) -> dict:
    country = str(details.get("country", ""))
    region = str(details.get("region", "")).strip()
    region = region.upper() if addresses.needs_region(country) else region
    if not addresses.is_region(country=country, region=region):
        raise UnknownRegion(field="region")
    try:
        tax_id = tax_ids.normalised(country=country, tax_id=str(details.get("tax_id", "")))
    except tax_ids.ImpossibleTaxId as error:
        raise ImpossibleTaxId(field="tax_id") from error
    return {**details, "region": region, "tax_id": tax_id}
