from portal.accounts.views.organisations import organisation, organisation_edit, organisation_new, organisation_switch
from portal.accounts.views.preferences import language

__all__ = ["language", "organisation", "organisation_edit", "organisation_new", "organisation_switch"]
