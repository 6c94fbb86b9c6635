"""A worker may die at any line: before and after each step of each verb, and while another has taken over. Nothing is done twice and nothing is lost."""

from __future__ import annotations

from datetime import timedelta

import pytest

from portal.accounts.models import AuditEntry
from rentals.models import DeploymentStep, Operation, WipeEvidence
from rentals.services import deployments, engines, operations, outcomes

MINUTE = timedelta(minutes=1)


class Killed(BaseException):
    """kill -9: nothing that the code says about exceptions is heard."""


def dying_once_a_verb(monkeypatch, place: str):
    """Every verb's worker dies at `place`, once for each kind of decision of its step."""
    died: set[tuple[str, str]] = set()
    look, ask, write = engines.look, engines.ask, outcomes.write

    def die(leased, what: str) -> None:
        mark = (leased.row.verb, what)
        if mark not in died:
            died.add(mark)
            raise Killed

    def dying_look(*, leased):
        if place == "leased":
            die(leased, "look")
        return look(leased=leased)

    def dying_ask(*, leased, verb, seen):
        if place == "before the call":
            die(leased, verb)
        answer = ask(leased=leased, verb=verb, seen=seen)
        if place == "after the call":
            die(leased, verb)
        return answer

    def dying_write(*, leased, decision, **facts):
        if place == "before the write":
            die(leased, type(decision).__name__)
        write(leased=leased, decision=decision, **facts)
        if place == "after the write":
            die(leased, type(decision).__name__)

    monkeypatch.setattr(engines, "look", dying_look)
    monkeypatch.setattr(engines, "ask", dying_ask)
    monkeypatch.setattr(outcomes, "write", dying_write)
    advance = deployments.advance

    def survived(*, op_id, now):
        try:
            advance(op_id=op_id, now=now)
        except Killed:
            return  # the next worker finds the row once the lease is over

    monkeypatch.setattr(deployments, "advance", survived)
    return died


@pytest.mark.parametrize("place", ["leased", "before the call", "after the call", "before the write", "after the write"])
def test_a_worker_that_dies_at_every_step_costs_a_lease_each_and_nothing_more(desk, floor, monkeypatch, place):
    booking = desk.book(start=1, hours=1)
    floor.now = booking.during.lower - 10 * MINUTE
    died = dying_once_a_verb(monkeypatch, place)

    floor.play_to(booking, "ready", within=30)
    floor.now = booking.during.upper
    floor.play_to(booking, "done", within=60)

    assert {verb for verb, _ in died} == {"prepare", "hand_over", "fence", "take_back", "wipe", "validate"}
    assert set(Operation.objects.values_list("attempt", "state")) == {(1, "done")}
    assert Operation.objects.count() == 6
    assert WipeEvidence.objects.get().complete
    assert floor.server_of(booking).state == "available"
    assert desk.again(booking).state == "ended"
    assert AuditEntry.objects.filter(verb="deployment.ready").count() == 1
    assert DeploymentStep.objects.filter(deployment=floor.deployment(booking)).count() == 10
    assert floor.engine.client.inventory().claims == ()


@pytest.mark.parametrize("place", ["before the call", "after the call"])
def test_control_a_worker_that_asks_under_a_new_key_each_time_wipes_twice_where_ours_wipes_once(desk, floor, monkeypatch, place):
    booking = desk.book(start=1, hours=1)
    floor.now = booking.during.lower - 10 * MINUTE
    floor.play_to(booking, "ready")
    floor.now = booking.during.upper
    floor.play_to(booking, "wiping")
    op_id = Operation.objects.get(verb="wipe").op_id
    leased = operations.lease(op_id=op_id, owner="blind", now=floor.now)
    engines.ask(leased=leased, verb="wipe", seen=None)
    floor.now += 10 * MINUTE

    again = engines.ask(leased=leased, verb="wipe", seen=None)
    monkeypatch.setattr(leased.row, "attempt", 2)
    blind = engines.ask(leased=leased, verb="wipe", seen=None)

    assert type(again).__name__ == "AlreadyDone"
    assert type(blind).__name__ == "Accepted"  # the harm: another six hours of wiping


def overtaken(desk, floor):
    """A worker that held the preparation, slept past its lease, and what it had seen; meanwhile another has finished the step."""
    booking = desk.book(start=1)
    floor.now = booking.during.lower - 10 * MINUTE
    deployments.sweep(now=floor.now)
    slow = operations.lease(op_id=Operation.objects.get().op_id, owner="slow", now=floor.now)
    seen, report = engines.look(leased=slow)
    floor.now += operations.LEASE + timedelta(seconds=1)
    floor.play(minutes=8)
    assert floor.deployment(booking).state == "prepared"
    late = {"leased": slow, "seen": seen, "report": report, "decision": deployments.steps.Failed("not prepared in time"), "answer": None, "now": floor.now}
    return booking, late


def test_a_worker_that_lost_its_lease_writes_nothing(desk, floor):
    booking, late = overtaken(desk, floor)

    with pytest.raises(operations.LostLease):
        outcomes.write(**late)

    assert floor.deployment(booking).state == "prepared"
    assert Operation.objects.get().state == "done"


def test_control_without_the_fencing_token_its_late_word_undoes_what_was_done(desk, floor, monkeypatch):
    booking, late = overtaken(desk, floor)
    monkeypatch.setattr(operations, "held", lambda *, leased: Operation.objects.get(op_id=leased.row.op_id))

    outcomes.write(**late)

    assert floor.deployment(booking).state == "undeploying"  # the harm: a good Server is thrown away


def test_a_lease_is_taken_by_one_and_free_again_when_it_is_over(desk, floor):
    booking = desk.book(start=1)
    floor.now = booking.during.lower - 10 * MINUTE
    deployments.sweep(now=floor.now)
    op_id = Operation.objects.get().op_id

    first = operations.lease(op_id=op_id, owner="one", now=floor.now)
    second = operations.lease(op_id=op_id, owner="two", now=floor.now)
    third = operations.lease(op_id=op_id, owner="three", now=floor.now + operations.LEASE)

    assert (first.fencing, second, third.fencing) == (1, None, 2)


def test_a_finished_operation_is_nobodys(desk, floor):
    booking = desk.book(start=1)
    floor.now = booking.during.lower - 10 * MINUTE
    floor.play_to(booking, "prepared")

    assert operations.lease(op_id=Operation.objects.get(verb="prepare").op_id, owner="late", now=floor.now) is None


def test_what_was_rung_a_moment_ago_is_not_rung_again(desk, floor):
    booking = desk.book(start=1)
    floor.now = booking.during.lower - 10 * MINUTE
    deployments.sweep(now=floor.now)

    assert operations.ring_due(now=floor.now) == 0
    assert operations.ring_due(now=floor.now + timedelta(seconds=11)) == 1
