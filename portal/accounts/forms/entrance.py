"""Coming in for the first time."""

from __future__ import annotations

from allauth.account import forms as allauth_forms
from django import forms
from django.utils.translation import gettext_lazy as _


def _plain(form: forms.Form) -> None:
    """Labels say what a field is; a placeholder that repeats them would only vanish while one types."""
    for name, label in (("login", _("E-mail")), ("email", _("E-mail"))):
        if name in form.fields:
            form.fields[name].label = label
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)


class LogIn(allauth_forms.LoginForm):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        _plain(self)
        self.fields["remember"].label = _("Stay logged in on this device")


class SignUp(allauth_forms.SignupForm):
    """As allauth's, with the name that pages and mails use."""

    name = forms.CharField(label=_("Your name"), max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    field_order = ("name", "email", "password1", "password2")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        _plain(self)


class Reset(allauth_forms.ResetPasswordForm):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        _plain(self)


class Address(allauth_forms.AddEmailForm):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        _plain(self)
