"""What a customer chooses before he holds: when, for how long, how many, with what."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django import forms, http
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.kernel.period import Period
from rentals.domain import local_time
from rentals.queries import bookings
from rentals.queries.wishes import Choices

UNITS = {"hours": timedelta(hours=1), "days": timedelta(hours=24)}
DEFAULT_LENGTH, DEFAULT_UNIT = 3, "days"


class Configure(forms.Form):
    """`start` left out is as soon as possible; one that cannot be read is an error. Days are 24 hours whatever the clocks do."""

    start = forms.CharField(
        label=gettext_lazy("Start"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Empty: as soon as possible."),
        widget=forms.TextInput({"type": "datetime-local"}),
    )
    zone = forms.ChoiceField(label=gettext_lazy("Time zone of the start"), required=False)
    length = forms.IntegerField(label=gettext_lazy("For"), min_value=1, initial=DEFAULT_LENGTH)
    unit = forms.ChoiceField(label=gettext_lazy("Unit"), choices=[("hours", gettext_lazy("hours")), ("days", gettext_lazy("days"))], initial=DEFAULT_UNIT)
    quantity = forms.IntegerField(label=gettext_lazy("How many"), min_value=1, initial=1)
    storage = forms.ChoiceField(label=gettext_lazy("Storage"), required=False)
    storage_tb = forms.IntegerField(label=gettext_lazy("Storage in TB"), required=False, min_value=0, initial=0)
    image = forms.ChoiceField(label=gettext_lazy("Image"))
    keys = forms.MultipleChoiceField(label=gettext_lazy("SSH keys"), required=False, widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}))
    new_key = forms.CharField(
        label=gettext_lazy("Another public key"),
        required=False,
        max_length=5000,
        help_text=gettext_lazy("The line in ~/.ssh/id_ed25519.pub. It is kept in your account."),
        widget=forms.Textarea({"rows": 2, "spellcheck": "false", "autocomplete": "off"}),
    )
    purchase_order = forms.CharField(label=gettext_lazy("Your purchase order"), required=False, max_length=60)
    project = forms.ChoiceField(
        label=gettext_lazy("Project"),
        required=False,
        help_text=gettext_lazy("It and its cost centre stand on the invoice line."),
        error_messages={"invalid_choice": gettext_lazy("Your organisation has no such project.")},
    )
    terms = forms.BooleanField(label=gettext_lazy("I accept the terms of service"), required=False)
    once = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, choices: Choices, data: Any = None, *, now: datetime) -> None:
        super().__init__(data)
        self.choices, self.now = choices, now
        self.notes: list[str] = []
        here = timezone.get_current_timezone_name()
        fields: dict[str, Any] = self.fields
        zones = dict.fromkeys([here, choices.organisation.time_zone if choices.organisation else here, "UTC"])
        fields["zone"].choices = [(zone, zone) for zone in zones]
        fields["image"].choices = [(image.slug, image.name) for image in choices.images]
        fields["image"].initial = next((image.slug for image in choices.images), "")
        fields["storage"].choices = [("", _("none")), *((row.sku, bookings.name_of(row)) for row in choices.storage_classes)]
        fields["keys"].choices = [(key.fingerprint, key.name) for key in choices.keys]
        fields["keys"].initial = [key.fingerprint for key in choices.keys[:1]]
        fields["project"].choices = [("", _("none")), *((project.name, _with_centre(project)) for project in choices.projects)]
        fields["once"].initial = uuid.uuid4().hex
        self.without_the_needless()

    @classmethod
    def read_from(cls, choices: Choices, query: http.QueryDict, *, now: datetime) -> Configure:
        """The form as an address asks for it: what it does not name stands as usual."""
        empty = cls(choices, now=now)
        usual = {name: empty.get_initial_for_field(field, name) for name, field in empty.fields.items()}
        asked = {name: query.getlist(name) if name == "keys" else query[name] for name in empty.fields if name in query}
        return cls(choices, {**usual, **asked}, now=now)

    def without_the_needless(self) -> None:
        """A visitor is not asked for keys, nobody for what he has done already."""
        choices = self.choices
        unneeded = {
            "terms": not choices.terms,
            "keys": not choices.keys,
            "new_key": not choices.may_book,
            "purchase_order": not choices.may_book,
            "project": not choices.projects,
            "storage": not choices.storage_classes,
            "storage_tb": not choices.storage_classes,
        }
        for name in (name for name, is_unneeded in unneeded.items() if is_unneeded):
            del self.fields[name]

    def clean_start(self) -> Any:
        """The instant, or None for as soon as possible."""
        text = self.cleaned_data["start"]
        if not text:
            return None
        try:
            read = local_time.read(text, self.data.get("zone") or timezone.get_current_timezone_name())
        except local_time.NoSuchTime as error:
            raise forms.ValidationError(_("The clocks skip this time that day. Choose another.")) from error
        except local_time.UnknownZone as error:
            raise forms.ValidationError(_("This time zone is not known.")) from error
        except local_time.Unreadable as error:
            raise forms.ValidationError(_("This is not a date and time. Write it like 2026-12-24 18:00.")) from error
        if read.is_ambiguous:
            self.notes.append(_("The clocks show this time twice that day: the earlier one is taken."))
        return read.at

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            start = cleaned["start"] or self.choices.starts_at
            try:
                cleaned["during"] = Period.starting(start, cleaned["length"] * UNITS[cleaned["unit"]])
            except OverflowError:
                self.add_error("length", _("That is too long."))
        return cleaned

    def wish(self) -> dict[str, Any]:
        """What queries.wishes.outlook takes of a valid form."""
        storage_tb = self.cleaned_data.get("storage_tb") or 0
        return {
            "configuration": self.choices.configuration,
            "quantity": self.cleaned_data["quantity"],
            "during": self.cleaned_data["during"],
            "storage_class": self._storage_class if storage_tb else None,
            "storage_tb": storage_tb,
        }

    def order(self) -> dict[str, Any]:
        """What services.bookings.order takes of a valid form."""
        given, chosen = self.cleaned_data, set(self.cleaned_data.get("keys", []))
        return {
            "wish": self.wish(),
            "image": next(image for image in self.choices.images if image.slug == given["image"]),
            "ssh_keys": [
                {"name": key.name, "public_key": key.public_key, "fingerprint": key.fingerprint} for key in self.choices.keys if key.fingerprint in chosen
            ],
            "new_key": given.get("new_key", ""),
            "accept_terms": given.get("terms", False),
            "purchase_order": given.get("purchase_order", ""),
            "project_id": next((project.pk for project in self.choices.projects if project.name == given.get("project")), None),
            "once": given["once"] or None,
            "now": self.now,
        }

    @property
    def _storage_class(self) -> Any:
        """TB without a class mean the first one."""
        sku = self.cleaned_data.get("storage") or self.choices.storage_classes[0].sku
        return next(row for row in self.choices.storage_classes if row.sku == sku)


def _with_centre(project: Any) -> str:
    return f"{project.name} · {project.cost_centre}" if project.cost_centre else project.name
