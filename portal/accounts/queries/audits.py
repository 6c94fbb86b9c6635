"""What must never be wrong about people, looked at from outside."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Exists, OuterRef

from portal.accounts.models import Membership, Organisation


def audit() -> list[str]:
    """One sentence for each thing that is wrong; empty when nothing is."""
    return list(_organisations_have_owners())


def _organisations_have_owners() -> Iterator[str]:
    owners = Membership.objects.filter(organisation=OuterRef("pk"), role=Membership.Role.OWNER, user__is_active=True)
    for organisation in Organisation.objects.filter(~Exists(owners)).order_by("id"):
        yield f"{organisation.number} has no owner who can log in"
