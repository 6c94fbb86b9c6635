"""Coming in for the first time."""

from __future__ import annotations

from allauth.account import forms as allauth_forms
from django import forms
from django.utils.translation import gettext_lazy as _


class SignUp(allauth_forms.SignupForm):
    """As allauth's, with the name that pages and mails use."""

    name = forms.CharField(label=_("Your name"), max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    field_order = ("name", "email", "password1", "password2")
