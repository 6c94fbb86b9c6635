from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rentals.domain import local_time


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("2026-12-01T10:00", "Europe/Berlin", at(2026, 12, 1, 9)),
        ("2026-12-01 10:00:30", "UTC", at(2026, 12, 1, 10, 0, 30)),
        (" 2026-07-01T10:00 ", "Asia/Shanghai", at(2026, 7, 1, 2)),
        ("2026-12-01T10:00Z", "Europe/Berlin", at(2026, 12, 1, 10)),
        ("2026-12-01T10:00+0530", "Europe/Berlin", at(2026, 12, 1, 4, 30)),
    ],
)
def test_a_local_time_is_read_in_its_zone(text, zone, instant):
    assert local_time.read(text, zone) == local_time.Read(instant)


@pytest.mark.parametrize(
    "text",
    ["tomorow 9", "", "2026-12-01", "2026-W49-2T10:00", "2026-13-01T10:00", "2026-12-01T25:00", "10:00", "1", "0001-01-01T00:00+14:00", "9999-12-31T23:59"],
)
def test_what_cannot_be_read_is_an_error(text):
    with pytest.raises(local_time.Unreadable):
        local_time.read(text, "UTC")


def test_a_time_that_the_clocks_skip_does_not_exist():
    with pytest.raises(local_time.NoSuchTime):
        local_time.read("2027-03-28T02:30", "Europe/Berlin")


def test_of_a_time_that_the_clocks_show_twice_the_earlier_is_taken():
    assert local_time.read("2027-10-31T02:30", "Europe/Berlin") == local_time.Read(at(2027, 10, 31, 0, 30), is_ambiguous=True)
    assert not local_time.read("2027-10-31T03:30", "Europe/Berlin").is_ambiguous


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe"])
def test_a_zone_that_does_not_exist_is_an_error(zone):
    with pytest.raises(local_time.UnknownZone):
        local_time.read("2026-12-01T10:00", zone)


@given(st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2035, 1, 1)), st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Shanghai"]))
def test_what_a_clock_shows_is_read_back_as_the_instant_or_the_hour_before(moment, zone):
    instant = moment.replace(second=0, microsecond=0, tzinfo=UTC)
    shown = instant.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M")

    read = local_time.read(shown, zone)

    assert read.at == instant or (read.is_ambiguous and read.at == instant - timedelta(hours=1))
