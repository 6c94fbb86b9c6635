"""What manage.py audit says of readings."""

from __future__ import annotations

from datetime import timedelta

import pytest

from monitoring.models import MinuteRollup
from monitoring.queries import audits
from monitoring.services import minutes
from rentals.models import Server
from tests.monitoring import rows

GOOD = {
    "samples": 60, "utilisation_min": 0.0, "utilisation_avg": 50.0, "utilisation_max": 100.0, "memory_used_avg": 70_000.0, "memory_used_max": 70_000.0,
    "power_avg": 300.0, "power_max": 310.0, "temperature_avg": None, "temperature_max": None,
}  # fmt: skip
NOTHING = dict.fromkeys(GOOD, None) | {"samples": 0}


def minute(now, *, ago: timedelta = timedelta(hours=1), **figures) -> MinuteRollup:
    start = (now - ago).replace(second=0, microsecond=0)
    return MinuteRollup.objects.create(**{"server": "srv-a1", "gpu": "GPU-0", "minute": start, **GOOD, **figures})


@pytest.mark.parametrize("figures", [{}, NOTHING, {"power_avg": 310.0 + 1e-9}], ids=["a full one", "one without readings", "a rounded mean"])
def test_a_minute_of_readings_is_in_order(db, now, figures):
    minute(now, **figures)

    assert audits.audit(now=now) == []


@pytest.mark.parametrize(
    "figures",
    [
        {"samples": 0},
        {"samples": 331},
        {"utilisation_avg": None},
        {"temperature_max": 60.0},
        {"utilisation_min": 51.0},
        {"power_avg": 311.0},
        {"utilisation_min": -1.0},
        {"utilisation_max": 101.0},
        {"ago": timedelta(minutes=-2)},
    ],
    ids=str,
)
def test_a_minute_that_no_readings_can_have_made_is_found(db, now, figures):
    minute(now, **figures)

    assert audits.audit(now=now) == ["srv-a1 has minutes that no readings can have made: 1"]


def test_a_minute_that_begins_within_one_is_found(db, now):
    row = minute(now)
    MinuteRollup.objects.filter(pk=row.pk).update(minute=row.minute + timedelta(seconds=7))

    assert audits.audit(now=now) == ["srv-a1 has minutes that no readings can have made: 1"]


def test_minutes_that_nobody_deletes_are_found_and_gone_after_the_sweep(db, now):
    row = minute(now, ago=timedelta(days=92))

    assert audits.audit(now=now) == [f"minutes since {row.minute:%Y-%m-%d} are still kept, longer than 90 days"]

    minutes.prune(now=now)
    assert audits.audit(now=now) == []


def test_an_agent_that_speaks_for_a_retired_or_unknown_server_is_found(racks, now):
    for serial in ("srv-a1", "srv-t1", "srv-nowhere"):
        rows.agent(serial, now)
    Server.objects.filter(serial="srv-t1").update(state="retired")

    assert [finding.split(" may ")[0] for finding in audits.audit(now=now)] == ["the agent of srv-nowhere", "the agent of srv-t1"]
