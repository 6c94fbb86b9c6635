"""What counts as a reading."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import samples
from monitoring.domain.samples import Batch, Instance, Position, Refused, Sample, State

NOW = 1_796_115_600.0
BLANKS = [
    *range(0x7FFFFFFFFFFFFFF0, 0x7FFFFFFFFFFFFFF4), *range(0x7FFFFFF0, 0x7FFFFFF4), *(140737488355328.0 + i for i in range(4)),
    math.nan, math.inf, -math.inf, 2**32 - 1, 2**64 - 1, float(0x7FFFFFFFFFFFFFF0), float(0x7FFFFFF2), float(2**32 - 1), float(2**64 - 1),
]  # fmt: skip


def batch(seq: int, at: float, boot: str = "first") -> Batch:
    return Batch("srv", "simulated", boot, seq, at, ())


@pytest.mark.parametrize("blank", BLANKS)
def test_h4_a_sentinel_is_absent_whatever_the_measure(blank):
    readers = (samples.percent, samples.mebibytes, samples.watts, samples.celsius, samples.megahertz)

    assert samples.is_blank(blank)
    assert [read(blank) for read in readers] == [None] * 5


@given(st.one_of(st.floats(), st.integers(min_value=-(2**70), max_value=2**70)))
def test_h4_no_utilisation_above_100_and_none_that_is_not_finite_gets_through(value):
    read = samples.percent(value)

    assert read is None or (math.isfinite(read) and 0 <= read <= 100)


@given(st.floats(min_value=0, max_value=100))
def test_every_percentage_is_a_reading(value):
    assert samples.percent(value) == value


@pytest.mark.parametrize(
    ("read", "value", "kept"),
    [
        (samples.percent, 0, 0), (samples.percent, 100, 100), (samples.percent, 100.1, None), (samples.percent, -1, None), (samples.percent, None, None),
        (samples.mebibytes, 81920, 81920), (samples.watts, 700.5, 700.5), (samples.celsius, -5, -5), (samples.celsius, 300, None),
        (samples.megahertz, 1980, 1980),
    ],
)  # fmt: skip
def test_a_reading_lies_in_its_range(read, value, kept):
    assert read(value) == kept


def test_a_missing_reading_counts_neither_in_the_mean_nor_in_the_sum():
    assert samples.mean([None, 40.0, 60.0]) == 50
    assert samples.total([None, 40.0, 60.0]) == 100
    assert samples.mean([None]) is None
    assert samples.total([]) is None


def test_h2_the_servers_average_ignores_a_board_under_mig():
    mig = Sample("GPU-0", mig=True, instances=(Instance(1, "3g.40gb", utilisation=42), Instance(2, "3g.40gb", utilisation=0)))

    assert samples.totals([mig, Sample("GPU-1", utilisation=90)], expected=2).utilisation == 90
    assert samples.totals([mig], expected=1).utilisation is None


def test_h3_board_power_counts_once_and_the_memory_of_a_mig_board_is_that_of_its_instances():
    instances = (Instance(1, "3g.40gb", memory_used=12011), Instance(2, "3g.40gb", memory_used=37))
    mig = Sample("GPU-0", power=99.5, mig=True, instances=instances)

    whole = samples.totals([mig, Sample("GPU-1", power=310.2, memory_used=70012, memory_total=81920)], expected=2)

    assert whole.power == pytest.approx(409.7)
    assert whole.memory_used == 12011 + 37 + 70012
    assert whole.memory_total == 81920


def test_memory_that_the_board_reports_itself_is_not_added_to_that_of_its_instances():
    assert Sample("GPU-0", memory_used=12100, mig=True, instances=(Instance(1, "", memory_used=12011),)).used == 12100
    assert Sample("GPU-0").used is None


def test_a_gpu_that_is_lost_does_not_report():
    whole = samples.totals([Sample("GPU-0"), Sample("GPU-1", state=State.LOST)], expected=8)

    assert (whole.reporting, whole.expected) == (1, 8)


def test_a_batch_more_than_30_s_ahead_is_refused_with_its_reason():
    samples.check_clock(NOW + 30, NOW)
    samples.check_clock(NOW - 600, NOW)

    with pytest.raises(Refused, match="at: 31 s ahead of the portal's clock"):
        samples.check_clock(NOW + 31, NOW)
    with pytest.raises(Refused, match="at: 601 s behind"):
        samples.check_clock(NOW - 601, NOW)


@pytest.mark.parametrize(
    ("last", "new", "taken"),
    [
        (None, batch(1, NOW), True),
        (Position("first", 1, NOW), batch(2, NOW + 1), True),
        (Position("first", 1, NOW), batch(1, NOW + 1), False),  # a repeat
        (Position("first", 5, NOW), batch(4, NOW - 1), False),  # a latecomer
        (Position("first", 5, NOW), batch(6, NOW), False),  # the same instant twice
        (Position("first", 5, NOW), batch(1, NOW + 1, "second"), True),  # the agent was restarted
        (Position("first", 5, NOW), batch(1, NOW - 60, "second"), False),  # its clock went back
    ],
)
def test_a_stream_only_moves_forward(last, new, taken):
    assert samples.follows(last, new) is taken


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(0, 20)), max_size=40))
def test_whatever_arrives_in_whatever_order_time_moves_forward_and_each_instant_counts_once(arrivals):
    last, taken = None, []
    for boot, seq, at in arrivals:
        new = batch(seq, float(at), boot)
        if samples.follows(last, new):
            last = Position(boot, seq, new.at)
            taken.append(new.at)

    assert taken == sorted(set(taken))


@pytest.mark.parametrize(
    ("bits", "words"),
    [(None, []), (0x1, []), (0x4, []), (0x84, ["power brake"]), (0x68, ["hardware slowdown", "software thermal", "hardware thermal"])],
)
def test_idle_and_the_power_cap_are_normal_the_rest_warns(bits, words):
    assert samples.throttle_warnings(bits) == words
