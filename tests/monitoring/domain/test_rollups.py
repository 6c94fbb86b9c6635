"""A minute in a few numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import rollups, wire
from monitoring.domain.samples import Instance, Sample

START = 1_796_115_600  # a full minute
values = st.none() | st.floats(0, 100)


def roll_up(moments) -> list[rollups.Minute]:
    return rollups.roll_up([(at, wire.rows(tuple(samples))) for at, samples in moments])


def one_minute(*utilisations: float | None) -> rollups.Minute:
    (minute,) = roll_up((START + second, [Sample("GPU-0", utilisation=value)]) for second, value in enumerate(utilisations))
    return minute


def test_a_missing_reading_counts_nowhere():
    minute = one_minute(40, None, 60)

    assert (minute.utilisation.least, minute.utilisation.mean, minute.utilisation.most) == (40, 50, 60)
    assert minute.samples == 2


def test_a_minute_without_any_reading_has_no_numbers_and_no_zero():
    minute = one_minute(None, None)

    assert (minute.utilisation.least, minute.utilisation.mean, minute.utilisation.most, minute.samples) == (None, None, None, 0)


@given(st.lists(values, min_size=1, max_size=60))
def test_least_mean_and_most_are_those_of_the_readings_that_are_there(utilisations):
    there = [value for value in utilisations if value is not None]
    spread = one_minute(*utilisations).utilisation

    assert spread.count == len(there)
    if there:
        assert (spread.least, spread.most) == (min(there), max(there))
        assert spread.mean == pytest.approx(sum(there) / len(there))
        assert spread.least <= spread.mean + 1e-9 and spread.mean <= spread.most + 1e-9


@given(st.lists(st.tuples(st.integers(0, 119), values), max_size=60))
def test_a_repeat_of_an_instant_changes_nothing(moments):
    batches = [(float(START + second), [Sample("GPU-0", power=value)]) for second, value in moments]

    def told(minutes):
        return [(one.series, one.start, one.samples, one.power.count, one.power.sum) for one in minutes]

    assert told(roll_up(batches + batches)) == told(roll_up(batches))


def test_h2_a_mig_board_has_no_utilisation_and_its_instances_have_their_own():
    board = Sample("GPU-0", mig=True, instances=(Instance(1, "3g.40gb", 0, 4, 42), Instance(2, "3g.40gb", 4, 4, 0)))

    minutes = {minute.series: minute for minute in roll_up([(START, [board])])}

    assert minutes["GPU-0"].utilisation.mean is None
    assert minutes["GPU-0/0"].utilisation.mean == 42
    assert minutes["GPU-0/4"].utilisation.mean == 0


def test_h3_power_is_the_boards_once_and_its_memory_the_sum_of_its_instances_once():
    board = Sample("GPU-0", power=99.5, mig=True, instances=(Instance(1, "", 0, 4, memory_used=12011), Instance(2, "", 4, 4, memory_used=37)))

    minutes = {minute.series: minute for minute in roll_up([(START, [board])])}

    assert minutes["GPU-0"].power.mean == 99.5
    assert minutes["GPU-0"].memory_used.mean == 12048
    assert minutes["GPU-0/0"].power.count == minutes["GPU-0/4"].power.count == 0


def test_h9_a_series_continues_when_the_index_order_changes():
    first, second = Sample("GPU-a", power=1.0), Sample("GPU-b", power=2.0)

    minutes = roll_up([(START, [first, second]), (START + 1, [second, first])])

    assert [(minute.series, minute.power.least, minute.power.most) for minute in minutes] == [("GPU-a", 1, 1), ("GPU-b", 2, 2)]


def test_readings_fall_into_the_minute_of_their_own_time():
    minutes = roll_up([(START + 59.9, [Sample("GPU-0", power=1)]), (START + 60, [Sample("GPU-0", power=3)])])

    assert [(minute.start, minute.power.mean) for minute in minutes] == [(START, 1), (START + 60, 3)]


def test_a_minute_is_closed_a_little_after_its_end():
    assert not rollups.is_closed(START, START + 64.9)
    assert rollups.is_closed(START, START + 65)
