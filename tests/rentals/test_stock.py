"""Spans and counts against brute force over small hours and few Units."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from portal.kernel.period import Period
from rentals.domain import availability, placement
from rentals.domain.stock import EVER, FOREVER, Block, Part, Reason, merge, peak, pool_of, stock_of, whole_second
from tests.rentals.hours import BASE, HOUR, at, flat, histories, rental, span, spans, stocks, unit


def test_touching_rentals_stand_side_by_side_when_there_is_no_buffer():
    one = unit(1)
    stock = stock_of(one, [rental(one, 11, 12)])

    assert [stock.is_free(span(*wanted)) for wanted in ((10, 11), (12, 13), (10, 14), (10, 12), (11, 13), (11, 12))] == [True, True] + 4 * [False]


def test_a_turn_over_closes_the_unit_before_and_after_a_rental():
    one = unit(1, turn_over=0.5)
    stock = stock_of(one, [rental(one, 9, 9.25)])

    assert not stock.is_free(span(9.5, 10.5))
    assert stock.is_free(span(9.75, 10.75))
    assert not stock.is_free(span(8, 8.75))
    assert stock.is_free(span(8, 8.5))


def test_a_rental_keeps_the_guard_of_its_day_when_the_class_changes_its_buffers():
    booked = unit(1, turn_over=3)
    today = unit(1, turn_over=0)
    stock = stock_of(today, [rental(booked, 9, 10)])

    assert not stock.is_free(span(12, 13))
    assert stock.is_free(span(13, 14))


@given(histories(), spans())
def test_a_unit_is_free_exactly_when_its_guarded_range_meets_no_other(history, wanted):
    units, blocks = history

    for stock in stocks(units, blocks):
        guarded = stock.unit.guarded(wanted)
        assert stock.is_free(wanted) == (not any(block.server == stock.unit.server and block.guarded.overlaps(guarded) for block in blocks))


@given(st.lists(spans(), max_size=6))
def test_merged_spans_are_disjoint_ascending_and_cover_the_same_hours(several):
    merged = merge(several)

    assert all(one.end < other.start for one, other in zip(merged, merged[1:], strict=False))
    for hour in range(25):
        assert any(one.contains(at(hour)) for one in several) == any(one.contains(at(hour)) for one in merged)


def test_a_unit_has_been_free_since_the_end_of_what_stood_there_last():
    one = unit(1)
    stock = stock_of(one, [rental(one, 1, 2), rental(one, 4, 5)])

    assert [stock.free_since(at(moment)) for moment in (0, 2, 3, 7)] == [EVER, at(2), at(2), at(5)]


def test_rentals_of_other_slots_stand_beside_and_close_nothing():
    one, other = unit(1, server=7, slots=(0, 4)), unit(2, server=7, slots=(4, 8))

    stock = stock_of(one, [rental(other, 1, 2)])

    assert stock.closed == ()
    assert stock.beside == (span(1, 2),)


def test_an_open_end_leaves_room_for_buffers():
    stock = stock_of(unit(1, turn_over=2, lead=2), [Block(1, None, Period(BASE, FOREVER), Period(BASE, FOREVER), Reason.MAINTENANCE)])

    assert not stock.is_free(span(100, 200))


def test_a_start_now_is_a_whole_second_that_leaves_room_for_the_lead():
    moment = BASE + timedelta(microseconds=1)

    assert whole_second(BASE) == BASE
    assert pool_of("fra1", [Part("a100", 1, stocks([unit(1, lead=1)], []))], moment).ready_at == BASE + HOUR + timedelta(seconds=1)
    assert pool_of("fra1", [Part("a100", 1, ())], BASE).ready_at == BASE


def hours_of(wanted: Period) -> list[Period]:
    return [Period.starting(wanted.start + number * HOUR, HOUR) for number in range(wanted.length // HOUR)]


def free_at(curve: tuple[availability.Step, ...], hour: Period) -> int:
    (step,) = [step for step in curve if step.during.overlaps(hour)]
    return step.free


@given(st.lists(st.tuples(spans(), st.integers(1, 3)), max_size=7), spans())
def test_the_peak_is_the_greatest_use_at_one_instant(uses, within):
    by_hour = [sum(amount for during, amount in uses if during.contains(at(hour))) for hour in range(25) if within.contains(at(hour))]

    assert peak(uses, within) == max(by_hour)


def test_what_follows_one_another_is_not_added_up():
    assert peak([(span(0, 1), 2), (span(1, 2), 2), (span(2, 3), 2)], span(0, 3)) == 2


@given(histories(), st.integers(1, 2), spans())
def test_free_over_time_is_the_count_of_free_units_at_each_hour(history, count, wanted):
    units, blocks = history
    pool = flat(units, blocks, count=count)

    curve = availability.steps([pool], wanted)

    assert (curve[0].start, curve[-1].end) == (wanted.start, wanted.end)
    assert all(one.end == other.start and one.free != other.free for one, other in zip(curve, curve[1:], strict=False))
    for hour in hours_of(wanted):
        assert free_at(curve, hour) == placement.largest_quantity(pool, hour)


@given(histories(), histories(), spans())
def test_free_in_several_pools_is_the_most_that_one_of_them_can_serve(one, other, wanted):
    pools = [flat(*one), flat(*other)]

    curve = availability.steps(pools, wanted)

    for hour in hours_of(wanted):
        assert free_at(curve, hour) == max(placement.largest_quantity(pool, hour) for pool in pools)


def test_nothing_is_free_where_there_is_no_pool():
    assert availability.steps([], span(0, 5)) == (availability.Step(at(0), at(5), 0),)


@given(histories(), spans())
def test_what_can_be_booked_was_drawn_as_free(history, wanted):
    pool = flat(*history)

    booked = placement.largest_quantity(pool, wanted)

    assert all(step.free >= booked for step in availability.steps([pool], wanted))


def test_the_least_and_the_most_of_a_cell_are_read_off_the_curve():
    one = unit(1)
    curve = availability.steps([flat([one, unit(2)], [rental(one, 2, 3)])], span(0, 6))
    free = availability.Availability("a100", 2, at(0), 2, at(0), curve)

    assert (free.least(span(0, 3)), free.most(span(0, 3))) == (1, 2)
    assert (free.least(span(2, 3)), free.most(span(2, 3))) == (1, 1)
    assert (free.least(span(8, 9)), free.most(span(8, 9))) == (0, 0)
