"""Telemetry for programs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from monitoring.domain.samples import Event, Sample, State
from monitoring.models import MinuteRollup
from monitoring.services import events
from portal.accounts.domain import scopes
from portal.accounts.services import tokens
from tests.monitoring import batches
from tests.monitoring.test_live_page import booking, gpus, now, say  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(cast, booking):  # noqa: F811
    """ask(user, wanted scopes, query): the answer to one with a token."""

    def asked(user=None, wanted=(scopes.TELEMETRY_READ,), **query):
        user = user or cast.ben
        organisation = cast.other if user == cast.sid else cast.lab
        _, secret = tokens.create(user=user, organisation=organisation, name="t", scopes=wanted, expires_at=None, by=user, now=timezone.now())
        return Client().get(f"/api/v1/bookings/{booking.number}/telemetry/", query, headers={"authorization": f"Bearer {secret}"})

    return asked


def test_the_newest_readings_with_null_for_what_is_missing(ask, say, booking):  # noqa: F811
    say("srv-a1", batches.board(gpus()[0], power=None), batches.mig(gpus()[1]), Sample(gpus()[2], State.LOST))

    answer = ask()

    told = answer.json()
    (server,) = told["servers"]
    first, mig, lost, silent = server["gpus"][:4]
    assert answer.status_code == 200 and told["booking"] == booking.number and told["live"] is True
    assert (server["server"], server["source"], server["expected"], server["reporting"]) == ("srv-a1", "simulated", 8, 2)
    assert (first["state"], first["utilisation"], first["power"], first["memory_used"], first["memory_total"]) == ("ok", 97, None, 70012, 81920)
    assert (mig["mig"], mig["utilisation"], [one["utilisation"] for one in mig["instances"]]) == (True, None, [42, 0])
    assert (lost["state"], lost["utilisation"], silent["state"]) == ("lost", None, "silent")


def test_minutes_and_faults_of_ones_own_time(ask, booking, now):  # noqa: F811
    for ago, utilisation in ((90, 5.0), (10, 40.0)):
        MinuteRollup.objects.create(server="srv-a1", gpu=gpus()[0], minute=now - timedelta(minutes=ago), samples=60, utilisation_avg=utilisation)
    events.record(server="srv-a1", events=[Event(gpus()[0], "xid-79", now.timestamp() - 60, "gone")], now=now)

    told = ask(minutes=120).json()

    assert [(row["series"], row["utilisation_avg"], row["power_avg"]) for row in told["minutes"]] == [(gpus()[0], 40, None)]
    assert [(fault["code"], fault["outcome"]) for fault in told["faults"]] == [("xid-79", "replace")]
    assert ask(minutes=0).json()["minutes"] == []


def test_after_the_end_the_minutes_remain_and_nothing_is_live(ask, booking, say, now):  # noqa: F811
    booking.assignments.update(handed_back_at=now - timedelta(minutes=5))
    say("srv-a1", batches.board(gpus()[0]))
    for ago in (3, 10):
        MinuteRollup.objects.create(server="srv-a1", gpu=gpus()[0], minute=now - timedelta(minutes=ago), samples=60, power_avg=float(ago))

    told = ask().json()

    assert (told["live"], told["servers"], [row["power_avg"] for row in told["minutes"]]) == (False, [], [10])


@pytest.mark.parametrize(("who", "status"), [("sid", 404), ("bea", 403), ("chen", 200)])
def test_who_may_ask(ask, cast, who, status):
    assert ask(getattr(cast, who)).status_code == status


def test_the_token_needs_its_scope(ask):
    answer = ask(wanted=(scopes.BOOKINGS_READ,))

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "missing_scope")


@pytest.mark.parametrize("minutes", ["-1", "1441", "all"])
def test_a_wish_out_of_bounds_is_refused_by_its_name(ask, minutes):
    answer = ask(minutes=minutes)

    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "minutes")
