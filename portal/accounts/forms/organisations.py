"""Shape of what is typed about Organisations."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from portal.accounts.forms import choices


class Organisation(forms.Form):
    """Name and billing address. Everything that the tax decision needs may follow later, but before the first checkout."""

    name = forms.CharField(label=_("Name"), max_length=120, help_text=_("How we call it on pages."))
    is_business = forms.BooleanField(label=_("We rent as a business"), required=False, initial=True)
    legal_name = forms.CharField(label=_("Legal name"), max_length=200, required=False, help_text=_("As it must stand on invoices."))
    street = forms.CharField(label=_("Street and number"), max_length=200, required=False)
    postal_code = forms.CharField(label=_("Postal code"), max_length=20, required=False)
    city = forms.CharField(label=_("City"), max_length=120, required=False)
    country = forms.ChoiceField(label=_("Country"), choices=choices.countries)
    region = forms.CharField(label=_("State or province"), max_length=80, required=False, help_text=_("In the US and Canada: its two letters."))
    tax_id = forms.CharField(label=_("Tax id"), max_length=40, required=False, help_text=_("VAT number, EIN, 统一社会信用代码 …"))
    billing_email = forms.EmailField(label=_("E-mail for invoices"), required=False)
    currency = forms.ChoiceField(label=_("Currency"), choices=[(code, code) for code in settings.CURRENCIES], help_text=_("All your prices and invoices."))
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=choices.time_zones, initial="UTC", help_text=_("Months on invoices are cut here."))


def initial(row: object) -> dict:
    """What an Organisation's form shows of `row`."""
    return {name: getattr(row, name) for name in Organisation.base_fields}
