from portal.accounts.views.customers import customers
from portal.accounts.views.members import invitation, invitation_accept, invitation_withdraw, invite, leave, member_remove, member_role, members
from portal.accounts.views.organisations import organisation, organisation_edit, organisation_new, organisation_switch
from portal.accounts.views.people import key_remove, keys, notification_open, notifications, notifications_read, profile
from portal.accounts.views.projects import project_add, project_edit, project_remove, projects
from portal.accounts.views.records import audit, limits, limits_change, terms, terms_accept
from portal.accounts.views.tokens import token_revoke, tokens

__all__ = [
    "audit", "customers", "invitation", "invitation_accept", "invitation_withdraw", "invite", "key_remove", "keys", "leave", "limits", "limits_change",
    "member_remove", "member_role", "members", "notification_open", "notifications", "notifications_read", "organisation", "organisation_edit",
    "organisation_new", "organisation_switch", "profile", "project_add", "project_edit", "project_remove", "projects", "terms", "terms_accept",
    "token_revoke", "tokens",
]  # fmt: skip
