"""Which Servers and GPUs a Booking has under its hands."""

from __future__ import annotations

from datetime import timedelta

import pytest

from portal.kernel.errors import NotAllowed, NotFound
from rentals.models import Accelerator, Booking, Server
from rentals.queries import live
from tests.monitoring import rows


@pytest.fixture
def booking(cast, racks, now) -> Booking:
    return rows.running(cast, racks, now)


def test_a_running_booking_names_its_server_and_every_gpu_by_uuid(booking, cast, now):
    found = live.live_booking(user=cast.ben, number=booking.number, now=now)

    (server,) = found.live
    assert (server.serial, server.whole, len(server.gpus)) == ("srv-a1", True, 8)
    assert {gpu.uuid for gpu in server.gpus} == set(Accelerator.objects.filter(server__serial="srv-a1").values_list("uuid", flat=True))
    assert (server.gpus[3].position, server.gpus[3].memory_mib, server.gpus[3].tdp_w, server.gpus[3].is_slice) == (3, 81920, 400, False)


def test_who_may_watch(booking, cast, now):
    for user in (cast.ada, cast.ben, cast.chen, cast.olu):
        assert live.live_booking(user=user, number=booking.number, now=now).servers
    for user in (cast.bea, cast.fin, cast.mei):
        with pytest.raises(NotAllowed):
            live.live_booking(user=user, number=booking.number, now=now)
    with pytest.raises(NotFound):
        live.live_booking(user=cast.sid, number=booking.number, now=now)
    for number in ("B-999999", "nonsense"):
        with pytest.raises(NotFound):
            live.live_booking(user=cast.ada, number=number, now=now)


def test_before_the_hand_over_there_is_nothing_to_see(booking, now):
    booking.assignments.update(ready_at=None)

    assert live.live_servers(booking=booking, now=now) == ()


def test_after_the_end_or_the_hand_back_nothing_is_live_and_what_was_served_is_known(booking, now):
    booking.assignments.update(handed_back_at=now - timedelta(minutes=10))
    (server,) = live.live_servers(booking=booking, now=now)
    assert not server.is_live
    assert server.served.end == now - timedelta(minutes=10)

    booking.assignments.update(handed_back_at=None)
    assert live.live_servers(booking=booking, now=now + timedelta(hours=23))[0].is_live
    assert not live.live_servers(booking=booking, now=now + timedelta(hours=24))[0].is_live


def test_an_assignment_that_gave_up_its_unit_is_no_longer_live(booking, now):
    booking.assignments.update(live=False)

    assert not live.live_servers(booking=booking, now=now)[0].is_live


def test_a_server_given_back_before_it_was_ever_served_is_not_there(booking, now):
    booking.assignments.update(handed_back_at=now - timedelta(hours=1))

    assert live.live_servers(booking=booking, now=now) == ()


def test_a_partition_and_a_slice_are_parts_of_their_server(cast, racks, now):
    server = Server.objects.get(serial="srv-a2")
    booking = rows.running(cast, racks, now)
    booking.assignments.all().delete()
    rows.assign(booking, rows.part(server, 8, 24, now), now)
    rows.assign(booking, rows.part(server, 28, 32, now, shape="mig", profile="3g.40gb"), now)

    (found,) = live.live_servers(booking=booking, now=now)

    assert not found.whole
    assert [(gpu.position, gpu.start, gpu.size) for gpu in found.gpus] == [(1, 0, 8), (2, 0, 8), (3, 4, 4)]


def test_many_bookings_are_asked_for_at_once(cast, racks, now, django_assert_num_queries):
    first, second = rows.running(cast, racks, now, "srv-a1"), rows.running(cast, racks, now, "srv-a2", "srv-t1")

    with django_assert_num_queries(3):
        found = live.live_by_number(numbers=[first.number, second.number, "B-999999", "x"], now=now)

    assert {number: [server.serial for server in servers] for number, servers in found.items()} == {
        first.number: ["srv-a1"],
        second.number: ["srv-a2", "srv-t1"],
    }


def test_the_fleet_is_every_server_with_gpus_and_how_it_is_cut(racks, now, django_assert_num_queries):
    server = Server.objects.get(serial="srv-a2")
    rows.part(server, 4, 8, now, shape="mig", profile="3g.40gb")
    Server.objects.filter(serial="srv-t1").update(state="retired")

    with django_assert_num_queries(3):
        fleet = live.fleet()

    assert [one.serial for one in fleet] == ["srv-a1", "srv-a2"]
    assert fleet[1].cuts == (live.Cut(0, 4, 4, "3g.40gb", 40 * 1024),)
    assert len(fleet[0].gpus) == 8
    assert live.known(serials=["srv-a1", "srv-t1", "srv-x"]) == {"srv-a1"}
