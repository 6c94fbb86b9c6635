"""What other rooms and floors may read of people: every name here is part of the contract in docs/architecture.md."""

from portal.accounts.queries.access import (
    check_role,
    current_organisation,
    has_staff_role,
    members_of,
    organisation_for,
    organisations_by_id,
    organisations_for_staff,
    organisations_of,
    require_administrator,
    require_staff,
    role_of,
    staff_of,
    staff_roles_of,
)
from portal.accounts.queries.checkout import Missing, current_terms, has_accepted_terms, missing_for_checkout
from portal.accounts.queries.notifications import Told, notification_path, notifications_of
from portal.accounts.queries.people import Shell, has_verified_mail, shell_of, ssh_keys_of
from portal.accounts.queries.tokens import Acting, acting_by, tokens_of

__all__ = [
    "Acting", "Told", "notification_path", "notifications_of", "acting_by", "tokens_of",
    "Missing", "Shell", "check_role", "current_organisation", "current_terms", "has_accepted_terms", "has_staff_role", "has_verified_mail",
    "members_of", "missing_for_checkout", "organisation_for", "organisations_by_id", "organisations_for_staff", "organisations_of",
    "require_administrator", "require_staff",
    "role_of", "shell_of", "ssh_keys_of", "staff_of", "staff_roles_of",
]  # fmt: skip
