"""A person's own things."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from portal.accounts.models import Notification, Organisation, SshKey, User
from portal.accounts.queries import access


@dataclass(frozen=True)
class Shell:
    """What the frame around every page shows of the person looking at it."""

    organisations: list[Organisation]
    organisation: Organisation | None
    role: str
    staff_roles: frozenset[str]
    unread: int


def shell_of(user: User | AnonymousUser) -> Shell:
    """Two queries, whatever he has; none for a visitor."""
    if not user.is_authenticated:
        return Shell([], None, "", frozenset(), 0)
    unread = Notification.objects.filter(user=OuterRef("pk"), read_at__isnull=True).order_by().values("user").annotate(count=Count("pk")).values("count")
    roles = ArrayAgg("staff_roles__role", filter=Q(staff_roles__isnull=False), default=Value([]))
    row = User.objects.filter(pk=user.pk).values(roles=roles, unread=Coalesce(Subquery(unread), 0)).get()
    organisations = access.organisations_of(user)
    oldest = min(organisations, key=lambda organisation: organisation.membership_id, default=None)
    current = next((each for each in organisations if each.pk == user.current_organisation_id), oldest)
    return Shell(organisations, current, getattr(current, "role", ""), access.staff_roles_of(user, stored=row["roles"]), row["unread"])


def ssh_keys_of(user: User) -> list[SshKey]:
    return list(SshKey.objects.filter(user=user).order_by("name", "pk"))


def has_verified_mail(user: User) -> bool:
    return EmailAddress.objects.filter(user=user, verified=True).exists()
