"""Roles, and what each may do. Views and services name the act, never a list of roles of their own."""

from __future__ import annotations

OWNER, ADMIN, MEMBER, BILLING, READER = "owner", "admin", "member", "billing", "reader"
ACCOUNT_MANAGER, FINANCE, OPERATOR = "account_manager", "finance", "operator"

EVERYONE = (OWNER, ADMIN, MEMBER, BILLING, READER)
MANAGERS = (OWNER, ADMIN)  # address, people, projects, limits of tokens
BOOKERS = (OWNER, ADMIN, MEMBER)  # hold, extend, end a Booking
PAYERS = (OWNER, ADMIN, BILLING)  # see and pay Documents
STAFF = (ACCOUNT_MANAGER, FINANCE, OPERATOR)


def may_grant(*, own: str, role: str) -> bool:
    """Whether someone with role `own` may give (or take) `role`: owners any, admins any but owner."""
    return own == OWNER or (own == ADMIN and role != OWNER)


def may_leave(*, role: str, owners: int) -> bool:
    """Whether one may leave (or lose) `role` while the Organisation has `owners` owners: the last owner stays."""
    return role != OWNER or owners > 1
