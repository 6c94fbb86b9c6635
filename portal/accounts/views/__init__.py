from portal.accounts.views.organisations import organisation, organisation_edit, organisation_new, organisation_switch

__all__ = ["organisation", "organisation_edit", "organisation_new", "organisation_switch"]
