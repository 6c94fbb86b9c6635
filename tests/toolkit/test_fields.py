"""Days and moments that come in from outside: what one cannot reckon with is refused at the field."""

from __future__ import annotations

from datetime import date

import pytest
from django import forms

from portal.toolkit import fields


class Form(forms.Form):
    day = fields.Day(required=False)
    moment = fields.Moment(required=False)


@pytest.mark.parametrize("text", ["0001-01-01", "1969-12-31", "3000-01-01", "9999-12-31"])
def test_a_day_that_one_cannot_reckon_with_is_refused(text):
    assert "day" in Form({"day": text}).errors


@pytest.mark.parametrize("text", ["0001-01-01T00:00", "9999-12-31T23:59", "9999-12-31T23:59:00-12:00"])
def test_a_moment_that_one_cannot_reckon_with_is_refused(text):
    assert "moment" in Form({"moment": text}).errors


def test_a_day_of_this_age_is_taken():
    form = Form({"day": "2026-12-24", "moment": "2026-12-24T18:00"})

    assert form.is_valid(), form.errors
    assert form.cleaned_data["day"] == date(2026, 12, 24)
