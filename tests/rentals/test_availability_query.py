from datetime import timedelta

import pytest

from portal.kernel.period import Period
from rentals.domain.stock import Reason
from rentals.models import Assignment, Booking, Component, Configuration, Maintenance, Server, Unit
from rentals.queries import availability

HOUR = timedelta(hours=1)


def rent(racks, cast, now, unit: Unit, during: Period, *, live: bool = True) -> Assignment:
    """A confirmed Booking of this Unit, as the database sees it."""
    booking = Booking.objects.create(
        organisation=cast.lab, booked_by=cast.ada, configuration=racks.a100x8, quantity=1, during=(during.start, during.end), state="confirmed",
        state_since=now, image=racks.image, created_at=now,
    )  # fmt: skip
    guarded = during.padded(before=unit.unit_class.prepare_lead, after=unit.unit_class.turn_over)
    return Assignment.objects.create(
        booking=booking, component=racks.a100x8.components.get(), unit=unit, unit_class=unit.unit_class, server=unit.server, slots=unit.slots,
        during=(during.start, during.end), guarded=(guarded.start, guarded.end), live=live,
    )  # fmt: skip


@pytest.fixture
def units(racks) -> list[Unit]:
    return list(Unit.objects.filter(unit_class=racks.a100).order_by("id"))


@pytest.fixture
def fortnight(now) -> Period:
    return Period.starting(now, timedelta(days=14))


def test_an_empty_rack_is_free_from_the_prepare_lead_on(racks, now, fortnight):
    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    assert (free.total, free.free_now, free.starts_at, free.next_free_at) == (2, 2, now + timedelta(minutes=10), now + timedelta(minutes=10))
    assert [(step.start, step.end, step.free) for step in free.steps] == [(fortnight.start, fortnight.end, 2)]


def test_a_rental_closes_its_unit_with_lead_and_turn_over_on_both_sides(racks, cast, now, units, fortnight):
    rent(racks, cast, now, units[0], Period.starting(now + 10 * HOUR, HOUR))

    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    closed = [(step.start, step.end) for step in free.steps if step.free == 1]
    both = timedelta(minutes=40)
    assert closed == [(now + 10 * HOUR - both, now + 11 * HOUR + both)]


def test_what_is_not_live_takes_nothing(racks, cast, now, units, fortnight):
    rent(racks, cast, now, units[0], Period.starting(now + HOUR, HOUR), live=False)

    assert availability.availability(configuration=racks.a100x8, span=fortnight, now=now).least(fortnight) == 2


def test_a_mixed_bundle_is_as_free_as_its_scarcest_part(racks, cast, now, fortnight):
    t4 = Unit.objects.get(unit_class=racks.t4)
    rent(racks, cast, now, t4, Period.starting(now + HOUR, HOUR))

    free = availability.availability(configuration=racks.mixed, span=fortnight, now=now)

    assert (free.total, free.least(fortnight), free.most(fortnight)) == (1, 0, 1)
    assert free.next_free_at == now + 2 * HOUR + timedelta(minutes=40)


def test_maintenance_with_an_open_end_closes_its_server_for_good(racks, now, units, fortnight):
    Maintenance.objects.create(server=units[0].server, during=(now + 24 * HOUR, None), reason="new fans")
    Maintenance.objects.create(server=units[1].server, during=(now, None), reason="cancelled", cancelled_at=now)

    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    assert [step.free for step in free.steps] == [2, 1]


@pytest.mark.parametrize("state", ["quarantined", "maintenance", "wipe_failed", "unknown", "enrolled"])
def test_a_server_of_which_nobody_knows_when_it_can_be_sold_is_not_offered(racks, now, units, fortnight, state):
    Server.objects.filter(pk=units[0].server_id).update(state=state)

    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    assert (free.total, free.most(fortnight)) == (2, 1)


def test_a_retired_server_and_a_unit_out_of_service_do_not_count(racks, now, units, fortnight):
    Server.objects.filter(pk=units[0].server_id).update(state="retired")
    Unit.objects.filter(pk=units[1].pk).update(in_service_until=now + 48 * HOUR)

    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    assert free.total == 1
    assert [step.free for step in free.steps] == [1, 0]


def test_a_unit_that_comes_into_service_later_is_free_from_then_on(racks, now, units, fortnight):
    Unit.objects.filter(pk=units[1].pk).update(in_service_from=now + 48 * HOUR)

    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    assert [step.free for step in free.steps] == [1, 2]


def test_a_cluster_is_served_from_one_fabric(racks, now, units, fortnight):
    cluster = Configuration.objects.create(
        sku="a100x16", name="c", name_zh="c", summary="c", summary_zh="c", template="cluster", same_fabric=True, source="tests"
    )
    Component.objects.create(configuration=cluster, unit_kind=units[0].unit_class.kind, count=2)

    assert availability.availability(configuration=cluster, span=fortnight, now=now).total == 1

    units[0].unit_class.fabric = None
    units[0].unit_class.save()

    assert availability.availability(configuration=cluster, span=fortnight, now=now).total == 0


def test_a_configuration_of_nothing_in_the_racks_is_never_free(racks, now, fortnight):
    Unit.objects.all().update(in_service_until=now)

    free = availability.availability(configuration=racks.a100x8, span=fortnight, now=now)

    assert (free.total, free.free_now, free.next_free_at, free.starts_at) == (0, 0, None, now)


@pytest.mark.parametrize("copies", [0, 20])
def test_three_queries_whatever_the_number_of_configurations(racks, now, fortnight, copies, django_assert_num_queries):
    kind = racks.a100.kind
    for number in range(copies):
        copy = Configuration.objects.create(sku=f"c{number}", name="c", name_zh="c", summary="c", summary_zh="c", template="cluster", source="tests")
        Component.objects.create(configuration=copy, unit_kind=kind, count=1)
    configurations = list(Configuration.objects.all())

    with django_assert_num_queries(3):
        free = availability.availability_of(configurations=configurations, span=fortnight, now=now)

    assert len(free) == 2 + copies


def test_a_decision_tells_why_not_and_when_then(racks, cast, now, units):
    for unit in units:
        rent(racks, cast, now, unit, Period.starting(now + HOUR, 5 * HOUR))

    refusal = availability.decision(configuration=racks.a100x8, during=Period.starting(now + 2 * HOUR, HOUR), quantity=1, now=now)

    assert (refusal.reason, refusal.limiting, refusal.earliest_start) == (Reason.TAKEN, "a100-sxm4-80-x8", now + 6 * HOUR + timedelta(minutes=40))
    found = availability.next_free(configuration=racks.a100x8, length=HOUR, quantity=1, not_before=now, now=now)
    assert found == now + 6 * HOUR + timedelta(minutes=40)


def test_start_now_leaves_room_for_preparation(racks, now):
    assert availability.earliest_now(configuration=racks.a100x8, now=now) == now + timedelta(minutes=10)


def test_a_booking_left_out_does_not_stand_in_its_own_way(racks, cast, now, units, fortnight):
    own = rent(racks, cast, now, units[0], Period.starting(now + HOUR, HOUR))

    pools = availability.pools_of(configurations=[racks.a100x8], now=now, without_booking=own.booking_id)

    assert all(stock.closed == () for pool in pools[racks.a100x8.pk] for part in pool.parts for stock in part.stocks)
