"""Shape of what a person says about himself."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from portal.accounts.domain import scopes, ssh_keys
from portal.accounts.forms import choices

SCOPE_LABELS = {
    scopes.ACCOUNT_READ: _("read who you are and your organisation"),
    scopes.BOOKINGS_READ: _("read bookings"),
    scopes.BOOKINGS_WRITE: _("make, change and end bookings"),
    scopes.BILLING_READ: _("read invoices and payments"),
    scopes.BILLING_WRITE: _("start payments"),
    scopes.TELEMETRY_READ: _("read telemetry"),
}
LIVES = [("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year")), ("", _("never"))]


class Profile(forms.Form):
    name = forms.CharField(label=_("Your name"), max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES, help_text=_("Of pages and mails."))
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=choices.time_zones, help_text=_("Every time is shown in it. What is stored does not change."))


class SshKey(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=60, required=False, help_text=_("Empty: the comment at the end of the key."))
    public_key = forms.CharField(
        label=_("Public key"),
        max_length=16_000,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false", "placeholder": "ssh-ed25519 AAAA… you@laptop"}),
        help_text=_("The one line of a file such as ~/.ssh/id_ed25519.pub"),
    )

    def clean_public_key(self) -> str:
        """A private key pasted by mistake must not come back on the page that refuses it."""
        text = self.cleaned_data["public_key"]
        if ssh_keys.is_private(text):
            self.data = {**self.data, "public_key": ""}
        return text


class Token(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("What will use it."))
    scopes = forms.MultipleChoiceField(
        label=_("It may"), choices=list(SCOPE_LABELS.items()), widget=forms.CheckboxSelectMultiple({"class": "form-check-input"})
    )
    days = forms.ChoiceField(label=_("It ends after"), choices=LIVES, required=False, initial="90")

    def expires_at(self, now: datetime) -> datetime | None:
        """When the token ends; None for never."""
        days = self.cleaned_data["days"]
        return now + timedelta(days=int(days)) if days else None
