from portal.accounts.forms.organisations import Organisation, initial
from portal.accounts.forms.people import Profile, SshKey, Token

__all__ = ["Organisation", "Profile", "SshKey", "Token", "initial"]
