"""Form fields that every app uses."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from portal.kernel.period import FIRST_DAY, LAST_DAY


class Day(forms.DateField):
    """A day that one can reckon with, FIRST_DAY to LAST_DAY."""

    widget = forms.DateInput({"type": "date"})
    default_validators = [MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)]


class Moment(forms.DateTimeField):
    """An instant that one can reckon with, in the reader's zone."""

    widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
    default_validators = [MinValueValidator(datetime.combine(FIRST_DAY, time(0), UTC)), MaxValueValidator(datetime.combine(LAST_DAY, time(0), UTC))]

    def to_python(self, value: Any) -> datetime | None:
        try:
            return super().to_python(value)
        except OverflowError as error:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from error
