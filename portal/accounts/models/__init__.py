from portal.accounts.models.organisations import ApiToken, Invitation, Membership, Organisation, Project
from portal.accounts.models.people import SshKey, StaffRole, TermsAcceptance, TermsVersion, User
from portal.accounts.models.records import AuditEntry, IdempotencyKey, Letter, Notification

__all__ = [
    "ApiToken", "AuditEntry", "IdempotencyKey", "Invitation", "Letter", "Membership", "Notification", "Organisation", "Project", "SshKey",
    "StaffRole", "TermsAcceptance", "TermsVersion", "User",
]  # fmt: skip
