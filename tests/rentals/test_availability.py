"""Admission, refusal and nesting against brute force over small hours and few Units."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.kernel.period import Period
from rentals.domain import availability, placement
from rentals.domain.stock import Block, Part, Reason, Unit, pool_of
from tests.rentals.hours import HOUR, at, decided, flat, histories, maintenance, rental, span, spans, stocks, unit


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
