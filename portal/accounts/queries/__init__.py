"""What other rooms and floors may read of people: every name here is part of the contract in docs/architecture.md."""

from portal.accounts.queries.access import (
    check_role,
    current_organisation,
    has_administrator,
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
from portal.accounts.queries.invitations import invitations_of, open_invitation
from portal.accounts.queries.letters import Outbox, outbox
from portal.accounts.queries.notifications import Told, notification_path, notifications_of
from portal.accounts.queries.organisations import NoSuchProject, customers, memberships_of, project_named, projects_of
from portal.accounts.queries.people import Shell, has_verified_mail, shell_of, ssh_keys_of
from portal.accounts.queries.records import Filter, audit_of, history_of, verbs_of
from portal.accounts.queries.terms import acceptance_of, terms_version, terms_versions
from portal.accounts.queries.tokens import Acting, acting_by, tokens_of

__all__ = [
    "Acting", "Filter", "Missing", "NoSuchProject", "Shell", "Told", "acceptance_of", "acting_by", "audit_of", "check_role", "current_organisation",
    "current_terms", "customers", "has_accepted_terms", "has_administrator", "has_staff_role", "has_verified_mail", "history_of", "invitations_of",
    "members_of", "memberships_of",
    "missing_for_checkout", "notification_path", "notifications_of", "open_invitation", "Outbox", "outbox", "organisation_for", "organisations_by_id",
    "organisations_for_staff", "organisations_of", "project_named", "projects_of", "require_administrator", "require_staff",
    "role_of", "shell_of", "ssh_keys_of", "staff_of", "staff_roles_of",
    "terms_version", "terms_versions", "tokens_of", "verbs_of",
]  # fmt: skip
