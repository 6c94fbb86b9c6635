"""What an operator types about a Server."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rentals.queries import fleet


class NewServer(forms.Form):
    serial = forms.SlugField(label=_("Serial"), max_length=50, help_text=_("The name of the server everywhere; it cannot be changed later."))
    model: forms.ModelChoiceField = forms.ModelChoiceField(label=_("Model"), queryset=None, to_field_name="slug")
    layout = forms.CharField(label=_("Layout"), required=False, max_length=40, help_text=_("Empty: rented as a whole. Else the name of a layout of the model."))
    site: forms.ModelChoiceField = forms.ModelChoiceField(label=_("Site"), queryset=None, to_field_name="slug")
    fabric: forms.ModelChoiceField = forms.ModelChoiceField(label=_("RDMA fabric"), queryset=None, to_field_name="slug", required=False)
    rack = forms.CharField(label=_("Rack"), max_length=20)
    position = forms.IntegerField(label=_("Position in the rack"), min_value=1, max_value=60, initial=1)
    bmc_address = forms.CharField(label=_("Address of the BMC"), max_length=100, required=False)
    engine = forms.ChoiceField(label=_("Engine"))

    def __init__(self, data: Any = None, *, choices: fleet.Choices, engines: list[str]) -> None:
        super().__init__(data)
        fields: dict[str, Any] = self.fields
        fields["model"].queryset, fields["site"].queryset, fields["fabric"].queryset = choices.models, choices.sites, choices.fabrics
        fields["engine"].choices = [(name, name) for name in engines]


class Reason(forms.Form):
    """Why a Server is taken out or retired; `typed` repeats the serial where it cannot be undone."""

    reason = forms.CharField(label=_("Reason"), max_length=300, required=False)
    typed = forms.CharField(required=False, max_length=50)
