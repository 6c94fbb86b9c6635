"""When a fault is new, and what it means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import faults


def rises(*scrapes: int | None) -> int:
    edges = faults.Edges()
    return sum(edges.rises("GPU-0", xid) for xid in scrapes)


def test_h10_the_last_xid_gauge_rises_twice():
    assert rises(0, 31, 31, 31, 0, 31) == 2


def test_h10_a_gap_between_two_equal_readings_is_no_event():
    assert rises(0, 31, None, None, 31) == 1


def test_h10_zero_is_never_an_event_and_another_xid_is():
    assert rises(0, 0, None, 0) == 0
    assert rises(31, 79) == 2


def test_each_gpu_has_its_own_gauge():
    edges = faults.Edges()

    assert edges.rises("GPU-0", 31) and edges.rises("GPU-1", 31)


def test_a_counter_that_falls_was_reset():
    counters = faults.Counters()

    assert [counters.increase("GPU-0", count) for count in (5, 5, 7, None, 0, 1)] == [0, 0, 2, 0, 0, 1]


@given(st.lists(st.none() | st.integers(0, 10)))
def test_there_are_never_negative_errors(counts):
    counters = faults.Counters()

    assert all(counters.increase("GPU-0", count) >= 0 for count in counts)


@pytest.mark.parametrize(
    ("code", "outcome"),
    [("xid-79", "replace"), ("xid-31", "note"), ("xid-63", "drain"), ("ecc", "drain"), ("xid-99999", "note"), ("xid-x", "note"), (faults.xid_code(94), "note")],
)
def test_a_fault_calls_for_something(code, outcome):
    assert faults.meaning(code).outcome == outcome
    assert faults.meaning(code).advice
