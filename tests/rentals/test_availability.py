"""The arithmetic of capacity against brute force over small hours and few Units."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.kernel.period import Period
from rentals.domain import availability, placement
from rentals.domain.stock import EVER, FOREVER, Block, Part, Pool, Reason, Stock, Unit, merge, peak, pool_of, stock_of, whole_second

BASE = datetime(2026, 12, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = 24


def at(hours: float) -> datetime:
    return BASE + hours * HOUR


def span(start: float, end: float) -> Period:
    return Period(at(start), at(end))


def unit(number: int, *, server: int | None = None, slots: tuple[int, int] = (0, 8), lead: float = 0, turn_over: float = 0) -> Unit:
    return Unit(number, 1, number if server is None else server, slots, lead * HOUR, turn_over * HOUR)


def rental(booked: Unit, start: float, end: float, reason: Reason = Reason.TAKEN) -> Block:
    during = span(start, end)
    return Block(booked.server, booked.slots, booked.guarded(during), during, reason)


def maintenance(server: int, start: float, end: float) -> Block:
    return Block(server, None, span(start, end), span(start, end), Reason.MAINTENANCE)


def stocks(units: list[Unit], blocks: list[Block]) -> tuple[Stock, ...]:
    return tuple(stock_of(unit, [block for block in blocks if block.server == unit.server]) for unit in units)


def flat(units: list[Unit], blocks: list[Block], *, count: int = 1, now: float = -1000) -> Pool:
    return pool_of("fra1", [Part("a100", count, stocks(units, blocks))], at(now))


def decided(pool: Pool, start: float, end: float, quantity: int = 1, until: float = DAY * 30):
    return availability.decide([pool], span(start, end), quantity, until=at(until))


hours = st.integers(0, 14)


@st.composite
def spans(draw) -> Period:
    start = draw(hours)
    return span(start, start + draw(st.integers(1, 6)))


@st.composite
def histories(draw, *, most_units: int = 4) -> tuple[list[Unit], list[Block]]:
    """Units with buffers and rentals that the exclusion constraint would permit."""
    lead, turn_over = draw(st.sampled_from([(0, 0), (1, 0), (0, 2), (1, 1)]))
    units = [unit(number, lead=lead, turn_over=turn_over) for number in range(draw(st.integers(1, most_units)))]
    blocks: list[Block] = []
    for _ in range(draw(st.integers(0, 8))):
        booked, during = draw(st.sampled_from(units)), draw(spans())
        block = Block(booked.server, booked.slots, booked.guarded(during), during)
        if not any(block.server == other.server and block.guarded.overlaps(other.guarded) for other in blocks):
            blocks.append(block)
    return units, blocks


# Units and spans


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


# Counting


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


# Admission


@given(histories(), spans(), st.integers(1, 3))
@settings(max_examples=300)
def test_a_booking_is_admitted_exactly_when_enough_units_are_free_throughout(history, wanted, quantity):
    units, blocks = history
    free = {one.id for one in units if not any(block.server == one.server and block.guarded.overlaps(one.guarded(wanted)) for block in blocks)}

    decision = availability.decide([flat(units, blocks)], wanted, quantity, until=at(100))

    assert isinstance(decision, availability.Admission) == (len(free) >= quantity)
    if isinstance(decision, availability.Admission):
        chosen = {stock.unit.id for _, stock in decision.chosen}
        assert len(chosen) == quantity and chosen <= free
    else:
        assert decision.largest_quantity == len(free)


@given(histories(), spans(), st.integers(1, 3))
@settings(max_examples=300)
def test_the_earliest_start_is_the_first_hour_at_which_the_same_booking_is_admitted(history, wanted, quantity):
    pool = flat(*history)
    first = next(
        (hour for hour in range(31) if placement.largest_quantity(pool, Period.starting(at(hour), wanted.length)) >= quantity and at(hour) >= wanted.start),
        None,
    )

    start = availability.earliest_start([pool], wanted.length, quantity, not_before=wanted.start, until=at(30))

    assert start == (None if first is None else at(first))


def test_the_earliest_start_over_pools_is_the_earliest_of_any():
    near, far = unit(1), unit(2)
    pools = [flat([far], [rental(far, 0, 9)]), flat([near], [rental(near, 0, 4)]), flat([far], [rental(far, 0, 6)])]

    assert availability.earliest_start(pools, HOUR, 1, not_before=at(0), until=at(50)) == at(4)
    assert availability.earliest_start(pools, HOUR, 1, not_before=at(0), until=at(3)) is None
    assert availability.earliest_start(pools, HOUR, 2, not_before=at(0), until=at(50)) is None


def test_the_unit_that_became_free_last_is_chosen():
    early, late = unit(1), unit(2)
    pool = flat([early, late, unit(3)], [rental(early, 0, 1), rental(late, 0, 4)])

    assert [stock.unit.id for _, stock in decided(pool, 5, 6).chosen] == [2]
    assert [stock.unit.id for _, stock in decided(pool, 5, 6, 2).chosen] == [2, 1]


def test_the_pool_that_is_left_with_the_least_is_chosen():
    large, small = flat([unit(1), unit(2), unit(3)], []), flat([unit(4), unit(5)], [])

    decision = availability.decide([large, small], span(0, 1), 2, until=at(9))

    assert decision.pool is small


def test_a_bundle_is_admitted_whole_or_not_at_all():
    a100, v100 = [unit(number) for number in range(2)], [unit(number) for number in range(10, 14)]
    blocks = [rental(v100[0], 0, 5)]
    pool = pool_of("fra1", [Part("a100", 1, stocks(a100, blocks)), Part("v100", 2, stocks(v100, blocks))], at(-9))

    refusal = availability.decide([pool], span(1, 3), 2, until=at(99))

    assert (refusal.reason, refusal.limiting, refusal.needed, refusal.free) == (Reason.TAKEN, "v100", 4, 3)
    assert refusal.largest_quantity == 1
    assert refusal.earliest_start == at(5)
    assert len(availability.decide([pool], span(1, 3), 1, until=at(99)).chosen) == 3


# Why not


def test_a_refusal_names_the_instants_at_which_too_few_are_free():
    one, other = unit(1), unit(2)
    pool = flat([one, other], [rental(one, 2, 4), rental(other, 3, 6)])

    refusal = decided(pool, 0, 10, 2)

    assert refusal.instants == (span(2, 6),)
    assert (refusal.reason, refusal.needed, refusal.free, refusal.earliest_start) == (Reason.TAKEN, 2, 0, at(6))


def test_a_refusal_by_fragmentation_names_the_whole_period():
    one, other = unit(1), unit(2)

    refusal = decided(flat([one, other], [rental(one, 0, 2), rental(other, 2, 4)]), 0, 4)

    assert (refusal.reason, refusal.instants) == (Reason.TAKEN, (span(0, 4),))


def test_a_refusal_says_that_only_the_wipe_stands_in_the_way():
    one = unit(1, turn_over=0.5)

    assert decided(flat([one], [rental(one, 9, 9.25)]), 9.5, 10.5).reason is Reason.BUFFER
    assert decided(flat([one], [rental(one, 9, 9.25)]), 9, 10).reason is Reason.TAKEN


def test_a_refusal_says_that_maintenance_stands_in_the_way():
    one, other = unit(1), unit(2)

    refusal = decided(flat([one, other], [rental(one, 0, 9), maintenance(2, 4, 6)]), 3, 5)

    assert (refusal.reason, refusal.earliest_start) == (Reason.MAINTENANCE, at(6))


def test_a_refusal_says_that_there_are_not_that_many():
    refusal = decided(flat([unit(1), unit(2)], []), 0, 1, 3)

    assert (refusal.reason, refusal.needed, refusal.free, refusal.largest_quantity, refusal.earliest_start) == (Reason.QUANTITY, 3, 2, 2, None)


def test_nothing_in_the_racks_is_a_refusal_too():
    refusal = availability.decide([], span(0, 1), 1, until=at(9))

    assert (refusal.reason, refusal.limiting, refusal.free) == (Reason.QUANTITY, "", 0)


def test_a_start_that_leaves_no_room_for_preparation_is_refused_with_the_first_that_does():
    pool = pool_of("fra1", [Part("a100", 1, stocks([unit(1, lead=0.5)], []))], at(0))

    refusal = availability.decide([pool], span(0.25, 2), 1, until=at(9))

    assert (refusal.reason, refusal.earliest_start) == (Reason.LIMIT, at(0.5))
    assert isinstance(availability.decide([pool], span(0.5, 2), 1, until=at(9)), availability.Admission)


# Nesting


def gpu_of_four(number: int) -> tuple[Unit, list[Unit]]:
    """A GPU and its four slices of two slots each, all offered at once."""
    whole = unit(number * 10, server=number, slots=(0, 8))
    return whole, [unit(number * 10 + 1 + index, server=number, slots=(2 * index, 2 * index + 2)) for index in range(4)]


def test_a_rented_slice_closes_its_gpu_and_a_rented_gpu_all_its_slices():
    whole, slices = gpu_of_four(1)
    pool = flat([whole], [rental(slices[0], 10, 12)])

    refusal = decided(pool, 11, 13)

    assert (refusal.reason, refusal.earliest_start) == (Reason.LAYOUT, at(12))
    assert isinstance(decided(pool, 12, 13), availability.Admission)
    assert decided(flat(slices, [rental(whole, 10, 12)]), 10, 12).largest_quantity == 0


def test_slices_are_taken_beside_other_tenants_so_that_whole_gpus_stay_whole():
    (_, first), (_, second) = gpu_of_four(1), gpu_of_four(2)
    pool = flat([*first, *second], [rental(second[3], 0, 9)])

    assert {stock.unit.server for _, stock in decided(pool, 1, 2, 3).chosen} == {2}


def test_a_bundle_of_a_gpu_and_slices_takes_the_gpu_that_costs_the_fewest_slices():
    (one, first), (two, second) = gpu_of_four(1), gpu_of_four(2)
    blocks = [rental(second[0], 0, 9), maintenance(3, 0, 9)]
    pool = pool_of("fra1", [Part("slice", 3, stocks([*first, *second], blocks)), Part("gpu", 1, stocks([one, two], blocks))], at(-9))

    assert pool.nested
    assert availability.decide([pool], span(1, 2), 1, until=at(5)).chosen[0][1].unit == one
    assert [step.free for step in availability.steps([pool], span(1, 10))] == [1]


def test_parts_that_have_enough_units_but_exclude_each_other_are_refused_by_layout():
    one, slices = gpu_of_four(1)
    pool = pool_of("fra1", [Part("gpu", 1, stocks([one], [])), Part("slice", 1, stocks(slices, []))], at(-9))

    refusal = availability.decide([pool], span(1, 2), 1, until=at(5))

    assert (refusal.reason, refusal.largest_quantity, refusal.earliest_start) == (Reason.LAYOUT, 0, None)


@st.composite
def nested_histories(draw) -> tuple[list[Unit], list[Unit], list[Block]]:
    gpus = [gpu_of_four(number) for number in range(1, draw(st.integers(1, 3)) + 1)]
    wholes, slices = [whole for whole, _ in gpus], [one for _, parts in gpus for one in parts]
    blocks: list[Block] = []
    for _ in range(draw(st.integers(0, 6))):
        booked, during = draw(st.sampled_from(wholes + slices)), draw(spans())
        if not any(other.server == booked.server and booked.slots[0] < other.slots[1] and other.slots[0] < booked.slots[1] for other in blocks):
            blocks.append(Block(booked.server, booked.slots, during, during))
    return wholes, slices, blocks


@given(nested_histories(), spans(), st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=200, deadline=None)
def test_a_nested_bundle_is_placed_exactly_when_some_choice_of_free_units_works(history, wanted, slices_each, quantity):
    wholes, slices, blocks = history
    pool = pool_of("fra1", [Part("gpu", 1, stocks(wholes, blocks)), Part("slice", slices_each, stocks(slices, blocks))], at(-9))
    free = {kind: [stock.unit for stock in part.free(wanted)] for kind, part in zip(("gpu", "slice"), pool.parts, strict=True)}
    possible = any(
        sum(not any(whole.clashes(one) for whole in chosen) for one in free["slice"]) >= slices_each * quantity
        for chosen in combinations(free["gpu"], quantity)
    )

    placed = placement.place(pool, wanted, quantity)

    assert (placed is not None) == possible
    if placed is not None:
        units = [stock.unit for _, stock in placed]
        assert len(units) == quantity * (1 + slices_each)
        assert not any(one.clashes(other) for one, other in combinations(units, 2))


@pytest.mark.parametrize("quantity", [1, 2])
def test_the_largest_quantity_of_a_nested_bundle_can_be_placed_and_one_more_cannot(quantity):
    gpus = [gpu_of_four(number) for number in range(quantity + 1)]
    parts = [Part("gpu", 1, stocks([whole for whole, _ in gpus], [])), Part("slice", 3, stocks([one for _, four in gpus for one in four], []))]
    pool = pool_of("fra1", parts, at(-9))

    largest = placement.largest_quantity(pool, span(0, 1))

    assert placement.place(pool, span(0, 1), largest) is not None
    assert placement.place(pool, span(0, 1), largest + 1) is None
