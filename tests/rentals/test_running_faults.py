"""What goes wrong with Servers that run, and what the engine holds that is not ours."""

from datetime import timedelta
from uuid import uuid4

from rentals.models import Server
from rentals.provisioners import base
from rentals.services import deployments, servers
from tests.rentals.faults import MINUTE, alerts, due, running

# Running servers


def test_a_vanished_server_is_an_interruption_from_its_first_evidence_on(desk, floor):
    """Booking case 16: billed until then, and the Booking is flagged."""
    booking = running(desk, floor)
    floor.play(minutes=20, tick=5 * MINUTE)
    floor.engine.alter(floor.server_of(booking).serial, vanished=True)
    gone_at = floor.now

    for _ in range(3):
        floor.look()
        floor.now += timedelta(seconds=30)

    interruption = floor.assignment(booking).interruptions.get()
    assert (interruption.started_at, interruption.cause, interruption.ended_at) == (gone_at, "vanished", None)
    assert desk.again(booking).degraded
    assert floor.server_of(booking).state == "degraded"
    assert alerts(desk.cast, "operator_server").filter(key__startswith="lost-").count() == 1


def test_two_bad_looks_interrupt_nobody(desk, floor):
    booking = running(desk, floor)
    serial = floor.server_of(booking).serial
    floor.engine.alter(serial, vanished=True)
    floor.look()
    floor.look()
    floor.engine.alter(serial, vanished=False)

    floor.look()

    assert not floor.assignment(booking).interruptions.exists()
    assert floor.server_of(booking).state == "rented"


def test_a_server_that_comes_back_ends_its_interruption(desk, floor):
    booking = running(desk, floor)
    serial = floor.server_of(booking).serial
    floor.engine.alter(serial, power="off")
    for _ in range(3):
        floor.look()
    floor.engine.alter(serial, power="on")

    floor.look()
    floor.look()

    interruption = floor.assignment(booking).interruptions.get()
    assert (interruption.cause, interruption.ended_at) == ("power lost", floor.now)
    assert not desk.again(booking).degraded
    assert floor.server_of(booking).state == "rented"


def test_a_vanished_server_that_is_handed_back_waits_for_a_person(desk, floor):
    booking = running(desk, floor, hours=1)
    serial = floor.server_of(booking).serial
    floor.engine.alter(serial, vanished=True)
    for _ in range(3):
        floor.look()
    floor.now = booking.during.upper

    floor.play_to(booking, "failed", within=60)

    assert floor.server(serial).state == "quarantined"
    assert desk.again(booking).state == "ended"


# Reconciling


def test_a_claim_that_nobody_of_ours_stands_behind_is_found_and_its_server_excluded(desk, floor):
    """Provisioning case 4; the operator's call then releases it."""
    server = Server.objects.get(serial="srv-a1")
    machine = deployments.operations.machine_of(server=server)
    floor.engine.client.prepare(base.Op(uuid4()), machine, base.Claim("bk-stranger", (0, 64), True))
    floor.play(minutes=6, tick=MINUTE)

    found = floor.reconcile()
    again = floor.reconcile()
    floor.rest()
    excluded = floor.server("srv-a1").state
    servers.put_back(server=server, by=desk.cast.olu, now=floor.now)
    floor.rest()

    assert (found, again) == (["bk-stranger"], [])
    assert excluded == "quarantined"
    assert floor.server("srv-a1").state == "available"
    assert floor.engine.client.inventory().claims == ()


def test_a_server_that_a_stranger_occupies_is_not_picked_again_and_again(desk, floor):
    booking = due(desk, floor)
    server = floor.server_of(booking)
    machine = deployments.operations.machine_of(server=server)
    floor.engine.client.prepare(base.Op(uuid4()), machine, base.Claim("bk-stranger", (0, 64), True))

    floor.play_to(booking, "ready")

    assert floor.deployments(booking)[0].failure == "prepare: occupied by bk-stranger"
    assert floor.server_of(booking).serial != server.serial


def test_what_was_prepared_and_is_lost_is_prepared_again_under_the_same_name(desk, floor):
    """Provisioning case 16, in the words of any engine."""
    booking = due(desk, floor)
    floor.play(minutes=8)
    name = f"bk-{floor.assignment(booking).pk}"
    floor.engine.alter(floor.server_of(booking).serial, forget=[name])

    floor.reconcile()
    floor.play_to(booking, "ready")

    assert len(floor.deployments(booking)) == 1
    assert [claim.name for claim in floor.engine.client.inventory().claims] == [name]


def test_nothing_is_reconciled_against_an_engine_that_cannot_be_heard(desk, floor):
    booking = due(desk, floor)
    floor.play(minutes=8)
    floor.engine.fault("error_html", verb="inventory", times=5)

    assert floor.reconcile() == [] or floor.deployment(booking).state == "prepared"
    assert floor.deployment(booking).state == "prepared"
