"""Who may do what. Every loader of every app asks here."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from portal.accounts.models import Membership, Organisation, StaffRole, User
from portal.kernel.errors import NotAllowed, NotFound


def organisation_for(user: User, number: str, *, roles: Iterable[str] | None = None, staff: Iterable[str] = ()) -> Organisation:
    """The Organisation with this number, for a member with one of `roles` (any role when None) or for staff with one of the `staff` roles.

    Raises NotFound for an outsider, NotAllowed for a member or staff person without such a role.
    """
    organisation = Organisation.objects.by_number(number).select_related("account_manager").first()
    if organisation is None:
        raise NotFound()
    organisation.role = check_role(user, organisation, roles=roles, staff=staff)
    return organisation


def check_role(user: User, organisation: Organisation | int, *, roles: Iterable[str] | None = None, staff: Iterable[str] = ()) -> str:
    """His role in the Organisation ("" for staff let in by `staff`); for loaders of rows that belong to one. Raises as organisation_for does."""
    role = role_of(user, organisation)
    if role and (roles is None or role in set(roles)):
        return role
    held = staff_roles_of(user)
    if held.intersection(staff):
        return role
    if role or held:
        raise NotAllowed()
    raise NotFound()


def organisations_of(user: User) -> list[Organisation]:
    """His Organisations by name; each carries `.role`, his role in it. A token sees its own Organisation only."""
    memberships = _memberships(user).select_related("organisation").order_by("organisation__name", "organisation_id")
    return [_with_role(membership) for membership in memberships]


def current_organisation(user: User | AnonymousUser) -> Organisation | None:
    """The Organisation he works in, with `.role`: the token's, else the one he chose, else his oldest. None when he has none."""
    memberships = list(_memberships(user).select_related("organisation").order_by("pk"))
    chosen = [membership for membership in memberships if membership.organisation_id == getattr(user, "current_organisation_id", None)]
    return next((_with_role(membership) for membership in chosen + memberships), None)


def role_of(user: User, organisation: Organisation | int) -> str:
    """His role in the Organisation, "" for an outsider."""
    return _memberships(user).filter(organisation=organisation).values_list("role", flat=True).first() or ""


def members_of(organisation: Organisation | int, roles: Iterable[str] | None = None) -> list[User]:
    """The active people of an Organisation with one of `roles` (all when None), in the order in which they joined."""
    memberships = Membership.objects.filter(organisation=organisation, user__is_active=True).select_related("user").order_by("pk")
    if roles is not None:
        memberships = memberships.filter(role__in=list(roles))
    return [membership.user for membership in memberships]


def organisations_by_id(ids: Iterable[int]) -> dict[int, Organisation]:
    return Organisation.objects.in_bulk(set(ids))


def staff_roles_of(user: User, *, stored: Iterable[str] | None = None) -> frozenset[str]:
    """The staff roles of a person; an administrator has all of them, a token none: tokens act for customers. `stored` are his rows, when read already;
    `held_staff_roles` on the person of a request are what was read for it."""
    held = getattr(user, "held_staff_roles", None)
    if held is not None:
        return held
    if not user.is_authenticated or not user.is_active or _token_organisation(user) is not None:
        return frozenset()
    if user.is_superuser:
        return frozenset(StaffRole.Role.values)
    return frozenset(StaffRole.objects.filter(user=user).values_list("role", flat=True) if stored is None else stored)


def staff_of(*roles: str) -> list[User]:
    """Our active people with one of `roles`."""
    return list(User.objects.filter(is_active=True, staff_roles__role__in=roles).distinct().order_by("pk"))


def has_staff_role(user: User, *roles: str) -> bool:
    """Whether he has one of `roles`, any staff role when none is named."""
    held = staff_roles_of(user)
    return bool(held.intersection(roles)) if roles else bool(held)


def organisations_for_staff(user: User) -> list[Organisation]:
    """Every Organisation by name, for our own people. Raises as require_staff does."""
    require_staff(user)
    return list(Organisation.objects.order_by("name", "pk"))


def require_staff(user: User, *roles: str) -> None:
    """Return for staff with one of `roles` (any, when none is named). Raises NotAllowed for staff of another role, NotFound for everyone else."""
    held = staff_roles_of(user)
    if not held:
        raise NotFound()
    if roles and not held.intersection(roles):
        raise NotAllowed()


def require_administrator(user: User) -> None:
    """Return for an administrator. Raises NotAllowed for other staff, NotFound for everyone else."""
    if not (user.is_active and user.is_superuser):
        require_staff(user)
        raise NotAllowed()


def has_administrator() -> bool:
    """Whether there is anyone who may do everything."""
    return User.objects.filter(is_superuser=True, is_active=True).exists()


def _memberships(user: User | AnonymousUser) -> QuerySet[Membership]:
    if not user.is_authenticated:
        return Membership.objects.none()
    memberships = Membership.objects.filter(user=user)
    token_organisation = _token_organisation(user)
    return memberships if token_organisation is None else memberships.filter(organisation=token_organisation)


def _token_organisation(user: User) -> int | None:
    return getattr(user, "acting_organisation_id", None)


def _with_role(membership: Membership) -> Organisation:
    membership.organisation.role = membership.role
    membership.organisation.membership_id = membership.pk
    return membership.organisation
