from portal.accounts.forms.organisations import Organisation, initial

__all__ = ["Organisation", "initial"]
