"""One of each component, with made-up contents, for the page that shows them all."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.kernel.money import Money
from portal.kernel.page import Page
from portal.kernel.period import Period
from portal.toolkit import states


class Sample(forms.Form):
    name = forms.CharField(label=_("Name"), help_text=_("As it stands on the invoice."))
    email = forms.EmailField(label=_("E-mail"))
    currency = forms.ChoiceField(label=_("Currency"), choices=[("USD", "USD"), ("EUR", "EUR")], required=False)
    agree = forms.BooleanField(label=_("I accept the terms"))


def samples(*, now: datetime) -> dict:
    """The context of demo/components.html."""
    events = [
        SimpleNamespace(at=now - timedelta(minutes=4), text=_("Prepared"), icon="circle-check", tone="ok", detail="srv-a1"),
        SimpleNamespace(at=now - timedelta(minutes=20), text=_("Fault"), icon="alert-octagon", tone="fault", detail="XID 79"),
    ]
    steps = [
        SimpleNamespace(text="Ubuntu 24.04 + CUDA", state="done", at=now),
        SimpleNamespace(text="NCCL", state="running", at=None),
        SimpleNamespace(text="SSH", state="next", at=None),
    ]
    return {
        "form": Sample({"name": "", "email": "x", "currency": "EUR"}),
        "states": {noun: list(looks) for noun, looks in states.STATES.items()},
        "amount": Money(Decimal("1088.64"), "USD"),
        "rate": Money(Decimal("0.2363"), "USD"),
        "during": Period.starting(now, timedelta(days=3)),
        "soon": now + timedelta(minutes=15),
        "events": events,
        "steps": steps,
        "page": Page(items=[1], next="x", count=1312),
    }
