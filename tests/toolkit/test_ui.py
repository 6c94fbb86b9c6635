from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django import forms, template
from django.test import RequestFactory

from billing import models as billing_models
from portal.kernel.money import Money
from portal.kernel.period import Period
from portal.toolkit import states
from portal.toolkit.templatetags import ui
from rentals import models as rentals_models

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def test_what_is_missing_is_a_dash_and_never_a_zero():
    assert ui.money(None) == ui.number(None) == ui.moment(None) == ui.period(None) == ui.length(None) == ui.NOTHING


def test_money_names_currency_and_per_what():
    assert ui.money(Money(Decimal("15.12"), "USD"), suffix="h") == '<span class="figure">15.12\u00a0<span class="unit">USD/h</span></span>'


def test_a_unit_follows_a_thin_space():
    assert ui.number(2048, "GB") == '<span class="figure">2,048\u2009<span class="unit">GB</span></span>'


def test_a_moment_carries_its_iso_form_and_the_zone_by_name():
    html = ui.moment(NOW)

    assert 'datetime="2026-12-01T09:00:00+00:00"' in html
    assert 'title="2026-12-01T09:00:00+00:00 (UTC)"' in html
    assert 'class="hint"' in html


def test_a_period_names_the_zone_once_and_says_how_long():
    html = ui.period(Period.starting(NOW, timedelta(days=3)))

    assert html.count("UTC") == 1
    assert "3\u00a0d" in html


@pytest.mark.parametrize(
    ("noun", "model"),
    [
        ("booking", rentals_models.Booking),
        ("server", rentals_models.Server),
        ("quote", rentals_models.Quote),
        ("deployment", rentals_models.Deployment),
        ("operation", rentals_models.Operation),
        ("agreement", billing_models.Agreement),
        ("payment", billing_models.Payment),
        ("refund", billing_models.Refund),
    ],
)
def test_every_state_of_a_noun_has_its_look(noun, model):
    assert set(states.STATES[noun]) == set(model.State.values)


def test_a_state_is_icon_word_and_tone():
    html = ui.state("booking", "active")

    assert "state-ok" in html and "#tabler-player-play" in html and ">active<" in html


def test_an_undrawn_state_keeps_its_word():
    assert ">half_done<".replace("_", " ") in ui.state("nothing", "half_done")


class Named(forms.Form):
    name = forms.CharField(help_text="As on the invoice.")


def test_a_field_ties_help_and_error_to_its_input():
    form = Named({"name": ""})

    html = template.loader.render_to_string("_field.html", {"field": form["name"]})

    assert 'aria-describedby="id_name-help id_name-error"' in html
    assert 'aria-invalid="true"' in html
    assert 'id="id_name-error"' in html


def test_a_query_keeps_the_other_parameters():
    context = template.Context({"request": RequestFactory().get("/?gpu=A100&sort=price")})

    assert ui.with_query(context, sort="name") == "?gpu=A100&sort=name"
    assert ui.with_query(context, gpu="", sort="") == "/"
