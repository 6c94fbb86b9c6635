"""A Booking made real and handed back, on a floor where everything works."""

from datetime import timedelta

from portal.accounts.models import AuditEntry
from rentals.models import Deployment, DeploymentStep, Operation, WipeEvidence
from rentals.services import bookings

MINUTE = timedelta(minutes=1)


def test_a_confirmed_booking_has_one_planned_deployment_for_each_assignment_due_when_its_guard_begins(desk):
    booking = desk.book(configuration=desk.racks.mixed, start=3)

    planned = Deployment.objects.filter(assignment__booking=booking)

    assert [row.state for row in planned] == ["planned", "planned"]
    assert {row.due_at for row in planned} == {booking.during.lower - 10 * MINUTE}
    assert {row.end_wanted_at for row in planned} == {booking.during.upper}


def test_nothing_is_asked_of_the_engine_before_it_is_due(desk, floor):
    booking = desk.book(start=3)

    floor.play(until=booking.during.lower - 11 * MINUTE, tick=10 * MINUTE)

    assert floor.asked == []


def test_a_booking_is_prepared_before_its_start_and_handed_over_at_its_start(desk, floor):
    booking = desk.book(start=1)
    floor.play(until=booking.during.lower - MINUTE)
    before = floor.deployment(booking)

    floor.play_to(booking, "ready", within=3)

    assert (before.state, before.assignment.access) == ("prepared", {})
    assert floor.assignment(booking).access["host"].endswith(".simulated.example")
    assert floor.server_of(booking).state == "rented"
    ready_at = floor.assignment(booking).ready_at
    assert booking.during.lower <= ready_at <= booking.during.lower + 2 * MINUTE
    assert desk.again(booking).state == "active"


def test_each_step_is_written_once_as_it_happened(desk, floor):
    booking = desk.book(start=1)
    floor.now = booking.during.lower - 10 * MINUTE

    floor.play_to(booking, "ready")

    steps = DeploymentStep.objects.filter(deployment=floor.deployment(booking))
    assert [step.name for step in steps] == ["claim", "image", "boot", "network", "ssh_check"]
    assert all(step.finished_at and not step.failed for step in steps)
    assert AuditEntry.objects.filter(verb="deployment.ready", subject=booking.number).count() == 1


def test_the_planned_end_leads_through_the_wipe_to_an_available_server(desk, floor):
    booking = desk.book(start=1, hours=2)
    floor.now = booking.during.lower - 10 * MINUTE
    floor.play_to(booking, "ready")
    floor.now = booking.during.upper

    floor.play_to(booking, "done")

    server = floor.server_of(booking)
    evidence = WipeEvidence.objects.get(server=server)
    assert (server.state, evidence.complete, len(evidence.disks)) == ("available", True, 8)
    assert server.wiped_at >= server.last_tenant_ended_at
    assert not floor.assignment(booking).live
    assert floor.assignment(booking).access == {}
    assert desk.again(booking).state == "ended"
    assert [asked for asked, _ in floor.asked] == ["prepare", "hand_over", "power", "take_back", "wipe", "validate"]


def test_the_booking_has_ended_once_the_tenant_is_out_and_before_the_wipe_is_done(desk, floor):
    booking = desk.book(start=1, hours=2)
    floor.now = booking.during.lower - 10 * MINUTE
    floor.play_to(booking, "ready")
    floor.now = booking.during.upper

    floor.play_to(booking, "wiping")

    assert desk.again(booking).state == "ended"
    assert floor.assignment(booking).handed_back_at == booking.during.upper


def test_an_early_end_hands_back_at_once_and_is_billed_to_that_moment(desk, floor):
    booking = desk.book(start=1, hours=24)
    floor.now = booking.during.lower - 10 * MINUTE
    floor.play_to(booking, "ready")
    floor.play(minutes=30)
    clicked = floor.now

    bookings.end_now(booking=booking, by=desk.cast.ada, now=clicked)
    floor.play_to(booking, "done")

    assert floor.assignment(booking).handed_back_at == clicked
    assert floor.server_of(booking).state == "available"


def test_a_booking_cancelled_before_it_was_due_touches_no_server(desk, floor):
    booking = desk.book(start=5)

    bookings.cancel(booking=booking, by=desk.cast.ada, now=floor.now)
    floor.play(minutes=1)

    assert floor.deployment(booking).state == "cancelled"
    assert floor.asked == []
    assert floor.server_of(booking).state == "available"


def test_a_mixed_booking_is_active_when_all_of_it_is_ready(desk, floor):
    booking = desk.book(configuration=desk.racks.mixed, start=1)
    floor.now = booking.during.lower - 10 * MINUTE

    floor.play_to(booking, "ready")

    assert desk.again(booking).state == "active"
    assert {row.assignment.server.state for row in floor.deployments(booking)} == {"rented"}


def test_a_second_confirmation_plans_nothing_more_and_prepare_is_asked_once(desk, floor):
    """Booking case 27: the wallet's road and the checkout's road both confirm."""
    booking = desk.book(start=1)
    bookings.confirm(agreement=booking.agreement, now=floor.now)
    floor.now = booking.during.lower - 10 * MINUTE

    floor.play_to(booking, "ready")

    assert len(floor.asked_for("prepare")) == 1
    assert Deployment.objects.filter(assignment__booking=booking).count() == 1


def test_a_repeated_sweep_and_a_repeated_ring_do_nothing_more(desk, floor):
    booking = desk.book(start=1)
    floor.now = booking.during.lower - 10 * MINUTE

    for _ in range(5):
        floor.tick()

    assert len(floor.asked_for("prepare")) == 1
    assert Operation.objects.filter(deployment__assignment__booking=booking).count() == 1


def test_back_to_back_bookings_on_one_server_wait_for_the_wipe_and_are_billed_from_ready(desk, floor):
    """Booking case 20: whatever the workers' order, the tenant before is out and wiped first."""
    desk.book(start=1, hours=20)  # takes the other server
    first = desk.book(start=1, hours=2)
    floor.now = first.during.lower - 10 * MINUTE
    floor.play_to(first, "ready")
    second = desk.book(start=3.75, hours=2)
    assert floor.server_of(first) == floor.server_of(second)
    floor.engine.fault("slow", verb="disk", factor=15, times=8)  # the wipe takes 45 minutes, the turn-over is 30

    floor.now = first.during.upper
    floor.play_to(first, "wiping")
    floor.play(until=second.during.lower)
    waiting = floor.deployment(second)
    floor.play_to(second, "ready")

    assert (waiting.state, waiting.waiting_for) == ("planned", "the tenant before is still being moved out")
    assert floor.deployment(first).state == "done"
    wiped_at = WipeEvidence.objects.get(server=floor.server_of(first)).finished_at
    assert second.during.lower < wiped_at < floor.assignment(second).ready_at


def test_an_overdue_wipe_keeps_the_server_guarded(desk, floor):
    booking = desk.book(start=1, hours=2)
    floor.now = booking.during.lower - 10 * MINUTE
    floor.play_to(booking, "ready")
    floor.engine.fault("wipe_hangs")
    floor.now = booking.during.upper

    floor.play(minutes=60, tick=MINUTE)

    assert floor.assignment(booking).guarded.upper > floor.now
