from portal.accounts.forms.organisations import ROLE_NAMES, AuditFilter, Invitation, Limits, Organisation, Project, Role, initial
from portal.accounts.forms.people import Profile, SshKey, Token

__all__ = ["ROLE_NAMES", "AuditFilter", "Invitation", "Limits", "Organisation", "Profile", "Project", "Role", "SshKey", "Token", "initial"]
