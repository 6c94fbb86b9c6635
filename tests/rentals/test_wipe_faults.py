"""What goes wrong between hand-back and the next tenant, and how it ends."""

from rentals.domain import deployment_steps as steps
from rentals.models import Maintenance, Operation, WipeEvidence
from rentals.services import deployments, servers
from tests.rentals.faults import MINUTE, alerts, due, handed_back


def test_a_wipe_that_fails_once_is_done_again_and_both_are_kept(desk, floor):
    booking = handed_back(desk, floor)
    floor.engine.fault("wipe_fails")

    floor.play_to(booking, "done")

    assert sorted(WipeEvidence.objects.values_list("complete", flat=True)) == [False, True]
    assert floor.server_of(booking).state == "available"


def test_seven_of_eight_disks_are_a_failed_wipe_and_the_server_is_never_available(desk, floor):
    """Provisioning cases 1 and 5."""
    booking = handed_back(desk, floor)
    serial = floor.server_of(booking).serial
    floor.engine.fault("wipe_partial", times=3)

    floor.play_to(booking, "failed", within=120)
    floor.rest()

    server = floor.server(serial)
    assert server.state == "wipe_failed"
    assert server.state_reason.startswith("wipe: not erased: SIM")
    assert WipeEvidence.objects.filter(complete=False).count() == steps.ATTEMPTS["wipe"]
    assert all(len([disk for disk in evidence.disks if disk["result"] == "passed"]) == 7 for evidence in WipeEvidence.objects.all())
    assert alerts(desk.cast, "operator_server").exists()
    assert floor.engine.client.observe(deployments.operations.machine_of(server=server)).power == "off"
    assert desk.again(booking).state == "ended"


def test_a_failed_wipe_reaches_the_operator_within_one_poll_and_retries_are_bounded(desk, floor):
    """Provisioning case 2."""
    booking = handed_back(desk, floor)
    floor.engine.fault("wipe_fails", times=1000)

    floor.play_to(booking, "failed", within=120)
    told = alerts(desk.cast, "operator_server").count()
    floor.play(minutes=60, tick=MINUTE)

    assert told == 1
    assert len(floor.asked_for("wipe")) == steps.ATTEMPTS["wipe"]


def test_a_wipe_is_taken_up_again_knowing_only_the_server(desk, floor):
    """Provisioning case 3: the Booking has long been over."""
    booking = handed_back(desk, floor)
    floor.engine.fault("wipe_partial", times=3)
    floor.play_to(booking, "failed", within=120)
    floor.rest()
    server = floor.server_of(booking)

    servers.put_back(server=server, by=desk.cast.olu, now=floor.now)
    floor.rest()

    assert floor.server(server.serial).state == "available"
    assert not Maintenance.objects.filter(server=server, cancelled_at=None).exists()
    assert Operation.objects.filter(deployment=None, server=server).count() == 6
    assert WipeEvidence.objects.filter(server=server, complete=True, assignment=None).count() == 1


def test_an_engine_that_dies_while_wiping_leads_to_another_wipe(desk, floor):
    """Provisioning case 21."""
    booking = handed_back(desk, floor)
    floor.play_to(booking, "wiping")
    floor.play(minutes=1)
    floor.engine.restart()

    floor.play_to(booking, "done")

    assert sorted(WipeEvidence.objects.values_list("complete", flat=True)) == [False, True]


def test_an_engine_that_dies_while_deploying_leads_to_one_claim(desk, floor):
    """Provisioning case 22."""
    booking = due(desk, floor)
    floor.play(minutes=2)
    floor.engine.restart()

    floor.play_to(booking, "ready")

    assert len(floor.engine.client.inventory().claims) == 1
    assert len(floor.deployments(booking)) == 1


def test_a_network_that_never_acknowledges_leaves_the_server_in_quarantine_and_stops_the_bill(desk, floor):
    booking = handed_back(desk, floor)
    serial = floor.server_of(booking).serial
    floor.engine.fault("detach_stuck", times=100)

    floor.play_to(booking, "failed", within=60)

    assert floor.server(serial).state == "quarantined"
    assert desk.again(booking).state == "ended"
    assert floor.assignment(booking).handed_back_at == booking.during.upper


def test_a_server_that_cannot_be_fenced_is_not_wiped(desk, floor):
    booking = handed_back(desk, floor)
    serial = floor.server_of(booking).serial
    floor.engine.fault("power_stuck", times=100)

    floor.play_to(booking, "failed", within=60)

    assert floor.asked_for("wipe") == []
    assert floor.server(serial).state == "quarantined"
    assert desk.again(booking).state == "ended"


def test_a_missing_accelerator_keeps_the_server_from_the_next_tenant(desk, floor):
    booking = handed_back(desk, floor)
    serial = floor.server_of(booking).serial
    machine = deployments.operations.machine_of(server=floor.server(serial))
    floor.engine.alter(serial, gpus=list(machine.gpus[:7]))

    floor.play_to(booking, "failed", within=60)

    assert floor.server(serial).state == "quarantined"
    assert "accelerators missing" in floor.server(serial).state_reason
