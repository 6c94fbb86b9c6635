"""Input shapes of billing's pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from billing import queries
from portal.kernel.money import Money
from portal.toolkit import fields, formats, states

KINDS = (("", _("any")), ("invoice", _("invoice")), ("credit_note", _("credit note")))
SORTS = (
    ("-pk", _("newest first")),
    ("pk", _("oldest first")),
    ("-gross_minor", _("highest amount")),
    ("gross_minor", _("lowest amount")),
    ("customer_name", _("customer")),
    ("number", _("number")),
)


def _states() -> list[tuple[str, object]]:
    return [("", _("any")), *((state, states.look_of("document", state).word) for state in queries.STATES)]


def _currencies() -> list[tuple[str, object]]:
    return [("", _("any")), *((code, code) for code in settings.CURRENCIES)]


class DocumentFilter(forms.Form):
    """What finance looks for; it travels in the address."""

    text = forms.CharField(label=_("Number, customer or booking"), required=False, max_length=80)
    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS, required=False)
    state = forms.ChoiceField(label=_("State"), choices=_states, required=False)
    currency = forms.ChoiceField(label=_("Currency"), choices=_currencies, required=False)
    since = fields.Day(label=_("Issued from"), required=False)
    until = fields.Day(label=_("Issued until"), required=False)
    least = forms.DecimalField(label=_("Amount from"), required=False, max_digits=14, decimal_places=3)
    most = forms.DecimalField(label=_("Amount until"), required=False, max_digits=14, decimal_places=3)
    sort = forms.ChoiceField(label=_("Order"), choices=SORTS, required=False)

    def filters(self) -> queries.Filters:
        """What was asked for; a field that cannot be read is shown with its error and does not filter."""
        self.is_valid()
        wanted = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        return queries.Filters(**wanted)


class RefundByHand(forms.Form):
    """How much of a payment goes back and why. The first sending shows what it would do, the second (`confirmed`) does it; `token` makes it once."""

    amount = forms.DecimalField(label=_("Amount"), max_digits=14, decimal_places=3)
    reason = forms.CharField(label=_("Reason"), max_length=300, help_text=_("Stays in the books and is shown to the customer."))
    token = forms.CharField(widget=forms.HiddenInput, max_length=40)

    def __init__(self, *arguments: Any, left: Money, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.left = left
        self.fields["amount"].help_text = _("Up to %(left)s.") % {"left": f"{formats.money_text(left)} {left.currency}"}

    @property
    def is_confirmed(self) -> bool:
        return "confirmed" in self.data

    def wish(self) -> dict[str, Any]:
        """What was asked for, as the service takes it."""
        return {**self.cleaned_data, "amount": Money(self.cleaned_data["amount"], self.left.currency)}

    def clean_amount(self) -> Any:
        money = Money(self.cleaned_data["amount"], self.left.currency)
        if money.rounded() != money:
            raise forms.ValidationError(_("%(currency)s has no such small part.") % {"currency": money.currency})
        return money.amount


class CreditByHand(forms.Form):
    """How much of each line is taken back, net, and why. The first sending shows what it would do, the second (`confirmed`) does it; `token` makes it once."""

    reason = forms.CharField(label=_("Reason"), max_length=300, help_text=_("Stays in the books and is shown to the customer."))
    token = forms.CharField(widget=forms.HiddenInput, max_length=40)

    def __init__(self, *arguments: Any, lines: list[Any], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.lines = {f"line_{line.position}": line for line in lines if line.left}
        for name, line in self.lines.items():
            label = _("Off line %(position)s: %(description)s") % {"position": line.position, "description": line.description}
            field = forms.DecimalField(label=label, required=False, min_value=0, max_value=line.left.amount, max_digits=14, decimal_places=3)
            field.help_text = _("Net, up to %(left)s.") % {"left": line.left}
            self.fields[name] = field
        self.order_fields([*self.lines, "reason", "token"])

    @property
    def is_confirmed(self) -> bool:
        return "confirmed" in self.data

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, line in self.lines.items():
            amount = cleaned.get(name)
            if amount is not None and Money(amount, line.left.currency).rounded().amount != amount:
                self.add_error(name, _("%(currency)s has no such small part.") % {"currency": line.left.currency})
        if not self.errors and not any(cleaned.get(name) for name in self.lines):
            raise forms.ValidationError(_("Enter how much is taken off at least one line."))
        return cleaned

    def amounts(self) -> dict[int, Money]:
        """What was asked for, by line position."""
        return {line.position: Money(self.cleaned_data[name], line.left.currency) for name, line in self.lines.items() if self.cleaned_data.get(name)}
