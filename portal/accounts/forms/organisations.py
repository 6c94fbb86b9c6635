"""Shape of what is typed about Organisations."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from portal.accounts.domain import roles
from portal.accounts.forms import choices
from portal.toolkit import fields

ROLE_NAMES = [
    (roles.OWNER, _("owner")),
    (roles.ADMIN, _("admin")),
    (roles.MEMBER, _("member")),
    (roles.BILLING, _("billing only")),
    (roles.READER, _("read only")),
]
ROLES = [
    (roles.OWNER, _("owner: everything, owners too")),
    (roles.ADMIN, _("admin: people, address, bookings, payments")),
    (roles.MEMBER, _("member: bookings")),
    (roles.BILLING, _("billing only: invoices and payments")),
    (roles.READER, _("read only: look at everything, change nothing")),
]


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


class Invitation(forms.Form):
    email = forms.EmailField(label=_("E-mail"))
    role = forms.ChoiceField(label=_("Role"), choices=ROLES, initial=roles.MEMBER)


class Role(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=ROLES)


class Project(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=80)
    cost_centre = forms.CharField(label=_("Cost centre"), max_length=40, required=False, help_text=_("Stands on the invoice lines."))


class Limits(forms.Form):
    """Our staff change these; spend is typed in the Organisation's currency."""

    spend_cap = forms.DecimalField(
        label=_("Spend a month"),
        min_value=0,
        max_digits=14,
        decimal_places=2,
        help_text=_("What is ordered in a calendar month of the organisation's time zone."),
    )
    quantity_cap = forms.IntegerField(label=_("Servers or slices at once"), min_value=0, max_value=100_000)
    payment_attempts_cap = forms.IntegerField(label=_("Payment attempts a day"), min_value=1, max_value=1_000)


class AuditFilter(forms.Form):
    verb = forms.CharField(label=_("What"), required=False, max_length=60)
    subject = forms.CharField(label=_("Number"), required=False, max_length=60)
    person = forms.CharField(label=_("Who"), required=False, max_length=120)
    since = fields.Day(label=_("From"), required=False)
    until = fields.Day(label=_("Until"), required=False)
