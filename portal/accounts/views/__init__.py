from portal.accounts.views.organisations import organisation, organisation_edit, organisation_new, organisation_switch
from portal.accounts.views.people import key_remove, keys, notification_open, notifications, notifications_read, profile
from portal.accounts.views.tokens import token_revoke, tokens

__all__ = [
    "key_remove", "keys", "notification_open", "notifications", "notifications_read", "organisation", "organisation_edit", "organisation_new",
    "organisation_switch", "profile", "token_revoke", "tokens",
]  # fmt: skip
