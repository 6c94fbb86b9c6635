"""What goes wrong while a Deployment is made, and how it ends. Each case names where it was first told."""

from datetime import timedelta

import pytest

from portal.accounts.models import AuditEntry
from rentals.domain import deployment_steps as steps
from rentals.models import Assignment, Component, Configuration, Deployment, Maintenance, Operation, Server, WipeEvidence
from rentals.services import bookings, deployments, inventory, replacements
from tests.rentals.faults import MINUTE, alerts, due, running

# Replies and silence


VERBS = ("prepare", "hand_over", "power", "take_back", "wipe", "validate", "observe", "wipe_evidence")


@pytest.mark.parametrize("fault", ["request_lost", "reply_lost", "error_html", "garbage", "unauthorized", "busy"])
def test_bad_answers_to_every_verb_change_nothing_in_the_end(desk, floor, fault):
    booking = due(desk, floor, hours=1)
    for verb in VERBS:
        floor.engine.fault(fault, verb=verb, times=2)

    floor.play_to(booking, "ready")
    floor.now = booking.during.upper
    floor.play_to(booking, "done")

    assert floor.server_of(booking).state == "available"
    assert desk.again(booking).state == "ended"
    assert WipeEvidence.objects.filter(complete=True).count() == 1
    assert set(Operation.objects.values_list("attempt", flat=True)) == {1}


def test_an_engine_that_is_busy_for_minutes_uses_up_no_attempt(desk, floor):
    booking = due(desk, floor)
    floor.engine.fault("busy", verb="prepare", times=20, retry_after=20)

    floor.play_to(booking, "ready")

    operation = Operation.objects.get(verb="prepare")
    assert (operation.attempt, operation.state) == (1, "done")
    assert len(floor.asked_for("prepare")) == 21


def test_being_busy_has_a_limit_in_time(desk, floor):
    booking = due(desk, floor, start=3)
    floor.engine.fault("busy", verb="prepare", serial=floor.server_of(booking).serial, times=10_000, retry_after=30)

    floor.play(minutes=46, tick=MINUTE)

    assert floor.deployments(booking)[0].failure == "prepare: not done in time"


# Failed deployments


def test_a_preparation_that_fails_once_is_repeated_under_the_same_name(desk, floor):
    booking = due(desk, floor)
    floor.engine.fault("deploy_fails")

    floor.play_to(booking, "ready")

    assert len(floor.deployments(booking)) == 1
    assert Operation.objects.get(verb="prepare").attempt == 2
    assert [claim.name for claim in floor.engine.client.inventory().claims] == [f"bk-{floor.assignment(booking).pk}"]


def test_a_server_that_cannot_be_prepared_is_replaced_reclaimed_and_cooled_down(desk, floor):
    booking = due(desk, floor)
    bad = floor.server_of(booking).serial
    floor.engine.fault("deploy_fails", serial=bad, times=2)

    floor.play_to(booking, "ready")
    floor.rest()

    first, second = floor.deployments(booking)
    assert (first.state, second.state) == ("failed", "ready")
    assert second.assignment.server.serial != bad
    assert (first.assignment.live, first.assignment.rental) == (False, second.assignment.rental)
    assert floor.server(bad).state == "available"
    assert Maintenance.objects.filter(server__serial=bad, during__contains=floor.now).exists()
    assert WipeEvidence.objects.filter(server__serial=bad, complete=True).count() == 1
    assert desk.again(booking).state == "active"
    assert alerts(desk.cast, "operator_deployment").exists()
    assert AuditEntry.objects.filter(verb="deployment.replaced", subject=booking.number).count() == 1


def test_a_server_that_failed_is_never_the_next_pick(desk, floor):
    booking = due(desk, floor)
    bad = floor.server_of(booking).serial
    floor.engine.fault("deploy_fails", serial=bad, times=2)
    floor.play_to(booking, "ready")
    floor.rest()
    desk.now = floor.now

    with pytest.raises(bookings.NotFree):
        desk.hold(start=0.25, hours=1)


def test_without_a_spare_the_booking_fails_and_costs_nothing(desk, floor):
    """Booking case 16: billed though it never ran."""
    other = desk.book(start=1)
    booking = due(desk, floor)
    bad = floor.server_of(booking).serial
    floor.engine.fault("deploy_fails", serial=bad, times=2)

    floor.play_to(booking, "failed", within=90)

    assert floor.server_of(other).serial != bad
    assert desk.again(booking).state == "failed"
    assert not Assignment.objects.filter(booking=booking, live=True).exists()
    assert floor.server(bad).state == "available"
    assert alerts(desk.cast, "operator_deployment").filter(key__startswith="no-spare").count() == 1


def test_a_hand_over_without_ssh_is_replaced_too(desk, floor):
    booking = due(desk, floor)
    floor.engine.fault("attach_fails", serial=floor.server_of(booking).serial)

    floor.play_to(booking, "ready")

    assert [row.failure for row in floor.deployments(booking)] == ["hand_over: ssh_check failed", ""]


def test_a_server_that_fails_again_and_again_needs_a_person(desk, floor):
    booking = due(desk, floor)
    bad = floor.server_of(booking)
    for _ in range(steps.POISONED_AFTER - 1):
        old = floor.deployment(desk.book(start=30, hours=1))
        Deployment.objects.filter(pk=old.pk).update(state="failed", failure="prepare: x", state_since=floor.now)
        Assignment.objects.filter(pk=old.assignment_id).update(server=bad, live=False)
    floor.engine.fault("deploy_fails", serial=bad.serial, times=2)

    floor.play_to(booking, "ready")
    floor.rest()

    assert floor.server(bad.serial).state == "quarantined"
    assert alerts(desk.cast, "operator_server").exists()


def test_a_poisoned_server_among_healthy_ones_stalls_nobody(desk, floor):
    """Provisioning case 9."""
    cards = more_t4(desk, 5)
    crowd = [desk.book(configuration=cards, start=1) for _ in range(6)]
    floor.now = crowd[0].during.lower - 10 * MINUTE
    poisoned = floor.server_of(crowd[0]).serial
    floor.engine.fault("deploy_fails", serial=poisoned, times=1000)

    floor.play(until=crowd[0].during.lower + MINUTE)

    assert [floor.deployment(booking).state for booking in crowd[1:]] == ["ready"] * 5


def more_t4(desk, count):
    """So many T4 servers more, and a Configuration of one of them."""
    standing = Server.objects.get(serial="srv-t1")
    for number in range(count):
        inventory.add_server(
            serial=f"srv-t{number + 2}", model=standing.model, site=standing.site, fabric=standing.fabric, rack="R1", bmc_address="", engine="simulated",
            by=None, now=desk.now, verified=True,
        )  # fmt: skip
    configuration = Configuration.objects.create(sku="t4-x4", name="t4", name_zh="t4", summary="t4", summary_zh="t4", template="single_node", source="tests")
    Component.objects.create(configuration=configuration, unit_kind=desk.racks.t4.kind, count=1)
    return configuration


def test_what_one_deployment_raises_holds_up_no_other(desk, floor, monkeypatch):
    booking = due(desk, floor, configuration=desk.racks.mixed)
    first = floor.deployments(booking)[0].pk
    original = deployments.begin

    def begin(*, deployment_id, now):
        if deployment_id == first:
            raise RuntimeError("poisoned")
        return original(deployment_id=deployment_id, now=now)

    monkeypatch.setattr(deployments, "begin", begin)
    floor.tick()

    assert [row.state for row in floor.deployments(booking)] == ["planned", "preparing"]


def test_a_server_that_goes_down_before_its_booking_is_replaced_at_once(desk, floor):
    """Provisioning case 14: never confirmed on a dead Server."""
    booking = due(desk, floor)
    dead = floor.server_of(booking).serial
    Server.objects.filter(serial=dead).update(state="quarantined")

    floor.play_to(booking, "ready")

    assert floor.server_of(booking).serial != dead
    assert desk.again(booking).state == "active"


def test_with_no_spare_one_waits_and_after_a_while_gives_up_and_pays_back(desk, floor):
    other = running(desk, floor, hours=200)
    booking = desk.book(start=1, hours=20)
    dead = floor.server_of(booking).serial
    Server.objects.filter(serial=dead).update(state="quarantined")

    floor.play(until=booking.during.lower + steps.BEGIN_PATIENCE - MINUTE, tick=20 * MINUTE)
    waiting = floor.deployment(booking)
    floor.play(minutes=5, tick=MINUTE)

    assert floor.server_of(other).serial != dead
    assert (waiting.state, waiting.waiting_for) == ("planned", "the server is quarantined")
    assert (floor.deployment(booking).state, desk.again(booking).state) == ("failed", "failed")
    assert alerts(desk.cast, "operator_deployment").filter(key__startswith="late-").count() == 1


def test_too_many_preparations_of_one_rack_wait_for_each_other(desk, floor, settings):
    settings.DEPLOYMENTS_PER_RACK = 1
    booking = due(desk, floor, configuration=desk.racks.mixed)

    floor.tick()
    waiting = [row.waiting_for for row in floor.deployments(booking)]
    floor.play_to(booking, "ready")

    assert waiting == ["", "too many machines of this rack are being prepared"]


def test_too_many_replacements_at_one_site_are_left_to_a_person(desk, floor, monkeypatch):
    monkeypatch.setattr(replacements, "MOST_AN_HOUR", 0)
    booking = due(desk, floor)
    floor.engine.fault("deploy_fails", serial=floor.server_of(booking).serial, times=2)

    floor.play_to(booking, "failed")

    assert desk.again(booking).state == "failed"


# Cancel at each step: provisioning case 6, booking cases 21 and 24


@pytest.mark.parametrize("seconds", [0, 1, 5, 60, 200, 340, 400, 598, 601, 606, 660])
def test_a_cancel_at_any_moment_ends_in_an_available_server(desk, floor, seconds):
    booking = due(desk, floor)
    floor.play(until=floor.now + timedelta(seconds=seconds), tick=timedelta(seconds=20))

    bookings.end_now(booking=booking, by=desk.cast.ada, now=floor.now)
    floor.play_to(booking, "done", within=40)

    assert floor.server_of(booking).state == "available"
    assert desk.again(booking).state in ("cancelled", "ended")
    assert not floor.engine.client.inventory().claims
    assert not Assignment.objects.filter(booking=booking, live=True).exists()


def test_a_cancel_while_nothing_can_be_stopped_is_repeated_until_the_engine_takes_it(desk, floor):
    booking = due(desk, floor)
    floor.play(minutes=1)

    bookings.end_now(booking=booking, by=desk.cast.ada, now=floor.now)
    floor.play(minutes=1)

    assert len(floor.asked_for("cancel")) > 2
    assert Operation.objects.get(verb="prepare").cancel_wanted
