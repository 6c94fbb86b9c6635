"""Period: absolute time, half-open, whatever the clocks do."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.kernel.period import NaiveDatetime, Period, in_utc

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def span(start: int, end: int) -> Period:
    return Period(NOON + timedelta(hours=start), NOON + timedelta(hours=end))


def test_a_period_over_the_clock_change_has_its_absolute_length():
    """M3: 23:00 to 07:00 over the end of summer time is 9 hours."""
    york = ZoneInfo("America/New_York")

    night = Period(datetime(2022, 11, 5, 23, tzinfo=york), datetime(2022, 11, 6, 7, tzinfo=york))

    assert night.length == timedelta(hours=9)
    assert night.seconds == 9 * 3600
    assert night.start.tzinfo is UTC


def test_a_length_is_added_as_absolute_time():
    berlin = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))

    assert Period.starting(berlin, timedelta(hours=24)).end == datetime(2026, 3, 29, 11, tzinfo=UTC)


@pytest.mark.parametrize("moment", [datetime(2026, 12, 1)])
def test_a_moment_without_a_zone_is_refused(moment):
    with pytest.raises(NaiveDatetime):
        in_utc(moment)
    with pytest.raises(NaiveDatetime):
        Period(moment, NOON)


@pytest.mark.parametrize("end", [0, -1])
def test_a_period_ends_after_it_starts(end):
    with pytest.raises(ValueError, match="ends after it starts"):
        span(0, end)


def test_seconds_are_rounded_down():
    assert Period(NOON, NOON + timedelta(seconds=1, microseconds=999_999)).seconds == 1


def test_the_end_is_outside():
    assert span(0, 1).contains(NOON)
    assert not span(0, 1).contains(NOON + timedelta(hours=1))
    assert not span(0, 1).overlaps(span(1, 2))
    assert span(0, 2).overlaps(span(1, 3))


def test_a_period_can_be_padded_and_clipped():
    assert span(1, 2).padded(before=timedelta(hours=1), after=timedelta(hours=2)) == span(0, 4)
    assert span(0, 4).clipped(span(1, 9)) == span(1, 4)
    assert span(0, 1).clipped(span(1, 2)) is None


@given(st.integers(-50, 50), st.integers(1, 50), st.integers(-50, 50), st.integers(1, 50))
def test_overlap_is_symmetric_and_means_a_common_part(first, length, second, other):
    a, b = span(first, first + length), span(second, second + other)

    assert a.overlaps(b) == b.overlaps(a) == (a.clipped(b) is not None)
    assert a.clipped(b) == b.clipped(a)
