"""Shape of what is typed about Quotes. Moments are in the viewer's zone; one that a clock change skips or doubles is refused by the field."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.kernel.period import Period
from portal.toolkit import fields
from rentals.queries import quotes


class Head(forms.Form):
    """Whom the Quote is for and how long it holds."""

    organisation = forms.ChoiceField(label=_("Customer"))
    title = forms.CharField(label=_("Title"), max_length=120, help_text=_("What the customer reads first."))
    valid_until = fields.Moment(label=_("Valid until"), help_text=_("In your time zone."))
    message = forms.CharField(label=_("Message to the customer"), required=False, widget=forms.Textarea(attrs={"rows": 4}))
    internal_note = forms.CharField(
        label=_("Internal note"), required=False, widget=forms.Textarea(attrs={"rows": 2}), help_text=_("Never shown to the customer.")
    )

    def __init__(self, *args: Any, customers: list | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        if customers is None:
            del fields["organisation"]
        else:
            fields["organisation"].choices = [(each.number, f"{each.name} · {each.number}") for each in customers]


class Line(forms.Form):
    """One line of a draft."""

    configuration = forms.ChoiceField(label=_("Configuration"))
    quantity = forms.IntegerField(label=_("Quantity"), min_value=1, max_value=999, initial=1)
    start = fields.Moment(label=_("Start"))
    hours = forms.IntegerField(label=_("Hours"), min_value=1, max_value=24 * 366, initial=168)
    image = forms.ChoiceField(label=_("Image"))
    storage_tb = forms.IntegerField(label=_("Storage in TB"), min_value=0, max_value=9999, initial=0, required=False)
    discount_percent = forms.DecimalField(
        label=_("Discount in percent"), min_value=0, max_value=100, decimal_places=2, initial=0, required=False,
        help_text=_("In place of the term discount; 0 keeps that."),
    )  # fmt: skip

    def __init__(self, *args: Any, choices: quotes.Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered = choices
        fields: dict[str, Any] = self.fields
        fields["configuration"].choices = [(sku, row.name) for sku, row in choices.configurations.items()]
        fields["image"].choices = [(slug, row.name) for slug, row in choices.images.items()]

    def wish(self) -> dict[str, Any]:
        """The cleaned line as services.quotes.add_line takes it."""
        typed = self.cleaned_data
        storage_tb = typed["storage_tb"] or 0
        return {
            "configuration": self.offered.configurations[typed["configuration"]],
            "quantity": typed["quantity"],
            "during": Period.starting(typed["start"], timedelta(hours=typed["hours"])),
            "image": self.offered.images[typed["image"]],
            "storage_class": self.offered.storage if storage_tb else None,
            "storage_tb": storage_tb,
            "discount_percent": typed["discount_percent"] or 0,
        }


class Accept(forms.Form):
    """Who accepts, with which key, and the tick."""

    name = forms.CharField(label=_("Your name"), max_length=120)
    role = forms.CharField(label=_("Your role"), max_length=120)
    ssh_keys = forms.MultipleChoiceField(label=_("SSH keys"), required=False, widget=forms.CheckboxSelectMultiple, help_text=_("They will open the servers."))
    terms = forms.BooleanField(label=_("I accept the terms of service and order as offered."))

    def __init__(self, *args: Any, keys: list, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keys = {str(key.pk): key for key in keys}
        fields: dict[str, Any] = self.fields
        fields["ssh_keys"].choices = [(pk, f"{key.name} · {key.fingerprint}") for pk, key in self.keys.items()]

    def chosen_keys(self) -> list[dict[str, str]]:
        """The keys as a Booking keeps them."""
        chosen = (self.keys[pk] for pk in self.cleaned_data["ssh_keys"])
        return [{"name": key.name, "public_key": key.public_key, "fingerprint": key.fingerprint} for key in chosen]


class Decline(forms.Form):
    name = forms.CharField(label=_("Your name"), max_length=120)
    reason = forms.CharField(label=_("Why not?"), max_length=500, required=False, widget=forms.Textarea(attrs={"rows": 2}))
