"""Servers of which only parts are rented: tenants come and go beside one another, and what fails for one is his Unit's and not the Server's."""

from datetime import timedelta

import pytest

from portal.accounts.models import Notification
from rentals.models import Component, Configuration, Server, Unit, UnitClass, UnitKind, WipeEvidence
from rentals.services import servers

MINUTE = timedelta(minutes=1)


@pytest.fixture
def halves(desk):
    """srv-a2 cut into two halves of four accelerators, sold by a Configuration of one."""
    server = Server.objects.get(serial="srv-a2")
    whole = Unit.objects.get(server=server)
    Unit.objects.filter(pk=whole.pk).update(in_service_until=desk.now - timedelta(days=1))
    standing = whole.unit_class.kind
    kind = UnitKind.objects.create(
        sku="a100-half", name="half", name_zh="half", shape="partition", server_model=server.model, gpu_model=standing.gpu_model, gpu_count=4, memory_gb=320
    )
    unit_class = UnitClass.objects.create(kind=kind, site=server.site, fabric=server.fabric, prepare_lead=2 * MINUTE, turn_over=5 * MINUTE)
    for number, slots in enumerate(((0, 32), (32, 64))):
        Unit.objects.create(server=server, unit_class=unit_class, slots=slots, label=f"srv-a2/{number}", in_service_from=desk.now - timedelta(days=1))
    configuration = Configuration.objects.create(
        sku="half", name="half", name_zh="half", summary="half", summary_zh="half", template="single_node", source="tests"
    )
    Component.objects.create(configuration=configuration, unit_kind=kind, count=1)
    from billing.models import Price

    price = Price.objects.get(sku=standing.sku)
    Price.objects.create(sku=kind.sku, currency="USD", unit="hour", rate=price.rate / 2, valid_from=price.valid_from, source="tests")
    return configuration


def due(desk, floor, halves, **wish):
    booking = desk.book(configuration=halves, **{"start": 1, "hours": 2, **wish})
    floor.now = booking.during.lower - 2 * MINUTE
    return booking


def test_two_tenants_are_prepared_at_the_same_time_within_their_lead(desk, floor, halves):
    one, two = desk.book(configuration=halves, start=1), due(desk, floor, halves)

    floor.play(until=one.during.lower + MINUTE)

    assert [floor.deployment(booking).state for booking in (one, two)] == ["ready", "ready"]
    assert floor.server_of(one) == floor.server_of(two)
    assert floor.server("srv-a2").state == "available"


def test_one_leaves_and_the_other_stays(desk, floor, halves):
    stays, leaves = desk.book(configuration=halves, start=1, hours=20), due(desk, floor, halves, hours=1)
    floor.play(until=leaves.during.lower + MINUTE)
    floor.now = leaves.during.upper

    floor.play_to(leaves, "done", within=5)

    evidence = WipeEvidence.objects.get()
    seen = floor.engine.client.observe(servers.operations.machine_of(server=floor.server("srv-a2")), f"bk-{floor.assignment(stays).pk}", (0, 64))
    assert (evidence.complete, len(evidence.disks)) == (True, 1)
    assert (seen.phase, seen.power, seen.network) == ("ready", "on", "tenant")
    assert floor.asked_for("validate") == []
    assert not floor.assignment(leaves).live


def test_the_next_tenant_of_a_half_waits_for_nobody_but_its_own_last_one(desk, floor, halves):
    desk.book(configuration=halves, start=1, hours=20)
    first = due(desk, floor, halves, hours=1)
    floor.play(until=first.during.lower + MINUTE)
    second = desk.book(configuration=halves, start=2.25, hours=1)
    floor.now = first.during.upper

    floor.play(until=second.during.lower + MINUTE)

    assert floor.deployment(second).state == "ready"


def test_a_part_that_cannot_be_wiped_is_taken_off_sale_alone(desk, floor, halves):
    stays, leaves = desk.book(configuration=halves, start=1, hours=20), due(desk, floor, halves, hours=1)
    floor.play(until=leaves.during.lower + MINUTE)
    floor.engine.fault("wipe_partial", times=3)
    floor.now = leaves.during.upper

    floor.play_to(leaves, "failed", within=20)

    unit = floor.assignment(leaves).unit
    assert unit.in_service_until is not None
    assert floor.deployment(stays).state == "ready"
    assert floor.server("srv-a2").state == "available"
    assert Notification.objects.filter(user=desk.cast.olu, kind="operator_server").exists()


def test_a_part_that_cannot_be_prepared_is_replaced_by_the_other(desk, floor, halves):
    booking = due(desk, floor, halves)
    bad = floor.assignment(booking).unit
    floor.engine.fault("deploy_fails", serial="srv-a2", times=2)

    floor.play(until=booking.during.lower + 5 * MINUTE)

    assert desk.again(booking).state == "failed"  # the only spare stands on the Server that failed
    assert floor.assignment(booking).unit == bad
    assert Server.objects.get(serial="srv-a2").state == "available"
