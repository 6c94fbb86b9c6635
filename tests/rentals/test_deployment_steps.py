"""Decisions about Deployments: no database, no clock, no engine."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rentals.domain import deployment_steps as steps
from rentals.domain.observations import DiskWipe, Observation, WipeReport

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
KEY = "op/1"


def task(verb="prepare", **facts):
    limits = {"created_at": NOW - timedelta(minutes=1), "deadline_at": NOW + timedelta(minutes=30)}
    return steps.Task(verb=verb, key=KEY, attempt=facts.pop("attempt", 1), **{**limits, **facts})


def seen(**facts):
    return Observation(observed_at=facts.pop("observed_at", NOW), **facts)


def decided(verb, observation, report=None, **facts):
    return steps.decide(task(verb, **facts), observation, report, NOW)


def late(**facts):
    return {"deadline_at": NOW - timedelta(seconds=1), **facts}


@pytest.mark.parametrize("verb", sorted(steps.TIME_LIMITS))
def test_an_engine_that_cannot_be_heard_is_waited_for_until_the_deadline(verb):
    assert isinstance(decided(verb, None), steps.Wait)
    assert decided(verb, None, **late()) == steps.Failed("not done in time", "overdue")


@pytest.mark.parametrize("verb", ["prepare", "hand_over", "validate"])
def test_a_machine_that_is_not_there_fails_what_needs_it(verb):
    assert decided(verb, seen(present=False)) == steps.Failed("the machine is not there")


@pytest.mark.parametrize("verb", ["prepare", "fence", "take_back", "wipe", "validate"])
def test_what_leaves_no_trace_is_asked_for(verb):
    assert decided(verb, seen()) == steps.Ask(verb)


@pytest.mark.parametrize("verb", ["prepare", "fence", "take_back", "wipe", "validate"])
def test_after_a_lost_reply_one_looks_and_asks_again_under_the_same_key(verb):
    assert decided(verb, seen(), asked_at=NOW - timedelta(seconds=5), heard=False) == steps.Ask(verb)


@pytest.mark.parametrize("verb", ["prepare", "fence", "take_back", "wipe", "validate"])
def test_what_was_accepted_is_waited_for_and_tried_anew_when_the_engine_has_lost_it(verb):
    assert isinstance(decided(verb, seen(), asked_at=NOW - timedelta(seconds=5), heard=True), steps.Wait)
    assert isinstance(decided(verb, seen(), asked_at=NOW - timedelta(minutes=4), heard=True), steps.Retry)
    last = steps.ATTEMPTS[verb]
    assert isinstance(decided(verb, seen(), asked_at=NOW - timedelta(minutes=4), heard=True, attempt=last), steps.Failed)


def test_a_stale_observation_does_not_count_as_a_lost_object():
    stale = seen(observed_at=NOW - timedelta(minutes=20))

    assert isinstance(decided("prepare", stale, asked_at=NOW - timedelta(minutes=4), heard=True), steps.Wait)


@pytest.mark.parametrize("phase", ["prepared", "attaching", "ready"])
def test_a_claim_found_prepared_is_prepared_whoever_asked(phase):
    assert decided("prepare", seen(phase=phase), cancel_wanted=True) == steps.Finished()


def test_a_failed_preparation_is_tried_once_more_and_then_given_up():
    assert decided("prepare", seen(phase="failed", error="image failed"), heard=True) == steps.Retry("image failed")
    assert decided("prepare", seen(phase="failed"), attempt=2, heard=False) == steps.Ask("prepare")
    assert decided("prepare", seen(phase="failed"), attempt=2, heard=True) == steps.Failed("the preparation failed")


def test_a_cancel_wish_is_repeated_while_the_engine_works_and_ends_once_it_has_stopped():
    assert decided("prepare", seen(phase="working"), cancel_wanted=True) == steps.Ask("cancel")
    assert decided("prepare", seen(phase="failed"), cancel_wanted=True) == steps.Failed("cancelled", "cancelled")
    assert decided("prepare", seen(), cancel_wanted=True) == steps.Failed("cancelled", "cancelled")


def test_work_that_takes_too_long_is_stopped_and_what_cannot_be_stopped_has_a_limit():
    assert isinstance(decided("prepare", seen(phase="working")), steps.Wait)
    assert decided("prepare", seen(phase="working"), **late()) == steps.Ask("cancel")
    assert decided("prepare", seen(phase="working"), deadline_at=NOW - steps.CANCEL_GRACE).outcome == "overdue"


def test_a_server_that_someone_else_occupies_is_not_waited_for():
    assert decided("prepare", seen(others=("bk-x",))) == steps.Failed("occupied by bk-x")


def test_a_claim_that_was_given_up_cannot_be_prepared():
    assert isinstance(decided("prepare", seen(phase="detached")), steps.Failed)


def test_preparation_that_was_never_begun_in_time_fails():
    assert decided("prepare", seen(), **late()).outcome == "overdue"


def test_hand_over_asks_waits_and_ends_at_observed_ready():
    assert decided("hand_over", seen(phase="prepared")) == steps.Ask("hand_over")
    assert isinstance(decided("hand_over", seen(phase="attaching")), steps.Wait)
    assert decided("hand_over", seen(phase="ready"), **late()) == steps.Finished()


def test_hand_over_fails_when_nothing_is_prepared_or_time_is_up_or_it_is_not_wanted_any_more():
    assert decided("hand_over", seen(phase="failed", error="ssh_check failed")) == steps.Failed("ssh_check failed")
    assert decided("hand_over", seen(phase="absent")) == steps.Failed("nothing is prepared")
    assert decided("hand_over", seen(phase="attaching"), **late()).outcome == "overdue"
    assert decided("hand_over", seen(phase="prepared"), cancel_wanted=True).outcome == "cancelled"


def test_fencing_ends_only_when_off_was_observed():
    assert decided("fence", seen(power="unknown")) == steps.Ask("fence")
    assert decided("fence", seen(power="off")) == steps.Finished()
    assert decided("fence", seen(power="on"), **late()).outcome == "overdue"
    assert isinstance(decided("fence", seen(present=False)), steps.Wait)


def test_a_shared_machine_stays_on_when_one_claim_of_it_is_gone():
    assert decided("fence", seen(power="on", phase="absent"), whole=False) == steps.Finished()
    assert decided("fence", seen(power="on", phase="ready"), whole=False) == steps.Ask("fence")


def test_the_network_counts_as_off_only_when_the_engine_says_so():
    assert decided("take_back", seen(phase="detached", network="provisioning")) == steps.Finished()
    assert decided("take_back", seen(phase="detached", network="tenant")) == steps.Ask("take_back")
    assert decided("take_back", seen(phase="detached", network="tenant"), whole=False) == steps.Finished()
    assert decided("take_back", seen(phase="detaching"), **late()).outcome == "overdue"


def test_what_stands_on_a_server_that_nobody_remembers_is_given_up_by_name():
    assert decided("take_back", seen(others=("bk-x",)), claimed=False) == steps.Ask("take_back")
    assert decided("take_back", seen(others=("bk-x",)), claimed=False, **late()).outcome == "overdue"
    assert decided("take_back", seen(), claimed=False) == steps.Finished()


def test_a_server_is_in_the_pool_or_out_of_it_when_the_engine_says_so():
    assert decided("quarantine", seen()) == steps.Ask("quarantine")
    assert decided("quarantine", seen(pool="quarantined")) == steps.Finished()
    assert decided("return_to_service", seen(pool="quarantined")) == steps.Ask("return_to_service")
    assert decided("return_to_service", seen()) == steps.Finished()


def wiped(passed=8, *, bad=0, expected=8, finished=True, reference=KEY, error=""):
    disks = [DiskWipe(f"D{index}", "erase", "passed", NOW) for index in range(passed)]
    disks += [DiskWipe(f"D{passed + index}", "erase", "failed", NOW) for index in range(bad)]
    return WipeReport(reference, finished, tuple(disks), tuple(f"D{index}" for index in range(expected)), error, NOW if finished else None)


def test_a_wipe_of_every_disk_is_done():
    assert decided("wipe", seen(), wiped(), disks=8) == steps.Finished()


def test_a_wipe_in_hand_is_waited_for_until_its_deadline():
    assert isinstance(decided("wipe", seen(work="wiping"), wiped(3, finished=False), disks=8), steps.Wait)
    assert decided("wipe", seen(work="wiping"), wiped(3, finished=False), disks=8, **late()).outcome == "overdue"


def test_a_wipe_waits_for_what_the_machine_is_busy_with():
    assert isinstance(decided("wipe", seen(work="validating"), None, disks=8), steps.Wait)
    assert decided("wipe", seen(work="validating"), None, disks=8, **late()).outcome == "overdue"


def test_seven_of_eight_disks_are_a_failed_wipe_that_names_the_eighth():
    assert decided("wipe", seen(), wiped(7, bad=1), disks=8) == steps.Retry("not erased: D7")
    assert decided("wipe", seen(), wiped(7, bad=1), disks=8, attempt=3) == steps.Failed("not erased: D7")
    assert decided("wipe", seen(), wiped(7), disks=8) == steps.Retry("not erased: D7")
    assert decided("wipe", seen(), wiped(7, expected=7), disks=8) == steps.Retry("7 of 8 disks erased")


def test_a_wipe_that_broke_off_is_no_wipe():
    assert decided("wipe", seen(), wiped(error="broke off"), disks=8) == steps.Retry("broke off")


def test_the_evidence_of_an_older_wipe_proves_nothing():
    assert decided("wipe", seen(), wiped(reference="older/1"), disks=8) == steps.Ask("wipe")


@given(passed=st.integers(0, 9), bad=st.integers(0, 3), expected=st.integers(0, 9))
def test_no_wipe_counts_unless_every_disk_of_the_machine_passed(passed, bad, expected):
    flaw = steps.wipe_flaw(wiped(passed, bad=bad, expected=expected), 8)

    assert bool(flaw) != (bad == 0 and passed >= 8 and passed >= expected)


def hardware(**facts):
    return seen(**{"validated": KEY, "gpus": ("g1", "g2"), "disks": ("d1",), **facts})


def validated(observation, **facts):
    return decided("validate", observation, gpus=frozenset({"g1", "g2"}), disks=1, **facts)


def test_a_machine_is_valid_when_all_of_it_is_there_and_well():
    assert validated(hardware()) == steps.Finished()


@pytest.mark.parametrize(
    ("found", "flaw"),
    [
        ({"gpus": ("g1",)}, "accelerators missing: g2"),
        ({"gpus": ("g1", "g2", "g3")}, "accelerators unknown: g3"),
        ({"disks": ()}, "0 of 1 disks found"),
        ({"fault": "health check failed"}, "health check failed"),
    ],
)
def test_a_machine_with_a_flaw_is_not_valid(found, flaw):
    assert validated(hardware(**found)) == steps.Failed(flaw)


def test_an_interrupted_validation_is_done_again():
    assert isinstance(validated(hardware(fault="validation was interrupted")), steps.Retry)


def test_a_validation_waits_for_what_the_machine_is_busy_with():
    assert isinstance(decided("validate", seen(work="validating")), steps.Wait)
    assert decided("validate", seen(work="wiping"), **late()).outcome == "overdue"


def test_looks_get_rarer_with_age_and_with_silence():
    young, old = task(created_at=NOW), task(created_at=NOW - timedelta(hours=1))

    assert steps.pause(young, 0, NOW, 0.5) == timedelta(seconds=1)
    assert steps.pause(old, 0, NOW, 0.5) == timedelta(seconds=15)
    assert steps.pause(young, 3, NOW, 0.5) == timedelta(seconds=8)
    assert steps.pause(young, 20, NOW, 0.999) < timedelta(seconds=34)


@pytest.mark.parametrize(
    ("state", "minutes", "step"),
    [
        ("planned", -20, ""),
        ("planned", -10, "begin"),
        ("planned", 60, "cancel"),
        ("prepared", -1, ""),
        ("prepared", 0, "hand_over"),
        ("prepared", 60, "undeploy"),
        ("ready", 59, ""),
        ("ready", 60, "undeploy"),
        ("preparing", 0, ""),
    ],
)
def test_each_resting_state_has_its_moment(state, minutes, step):
    start = NOW
    now = NOW + timedelta(minutes=minutes)

    assert steps.next_step(state, now, start=start, due_at=start - timedelta(minutes=10), end_wanted_at=start + timedelta(hours=1)) == step


def gate(state="available", *, occupied=False, cooling=False, sellable=True, crowded=False, minutes=-5):
    now = NOW + timedelta(minutes=minutes)
    return steps.may_begin(state, occupied=occupied, cooling=cooling, sellable=sellable, crowded=crowded, now=now, start=NOW)


def test_preparation_begins_on_a_free_server():
    assert gate() == steps.Begin()


def test_preparation_waits_while_the_rack_is_crowded():
    assert gate(crowded=True) == steps.Hold("too many machines of this rack are being prepared", False)


def test_before_the_start_one_waits_for_the_tenant_before_and_after_it_looks_for_a_spare_too():
    assert gate("wiping", occupied=True) == steps.Hold("the tenant before is still being moved out", False)
    assert gate("wiping", occupied=True, minutes=0).try_spare


def test_a_server_of_which_nobody_knows_when_it_comes_back_is_replaced_at_once():
    assert gate("quarantined", sellable=False) == steps.Hold("the server is quarantined", True)
    assert gate(cooling=True) == steps.Hold("cooling down", True)


def test_patience_ends():
    assert gate("wiping", occupied=True, minutes=360) == steps.GiveUp("the tenant before is still being moved out")


RUNNING = {"power": "on", "phase": "ready"}


def test_one_slow_check_interrupts_nobody_and_three_do_from_the_first_of_them():
    health = steps.Health()
    for minute in range(3):
        assert not health.lost
        health = steps.look(health, seen(present=False), NOW + timedelta(minutes=minute))

    assert health.lost
    assert health.first_miss_at == NOW


def test_an_engine_that_cannot_be_heard_says_nothing_about_the_server():
    assert steps.look(steps.Health(2, NOW), None, NOW) == steps.Health(2, NOW)


def test_a_network_that_heals_is_as_if_nothing_had_been():
    health = steps.look(steps.Health(2, NOW), seen(**RUNNING), NOW)

    assert (health.misses, health.first_miss_at, health.lost) == (0, None, False)


def test_a_lost_server_is_back_after_two_good_looks():
    lost = steps.Health(3, NOW, 0, True)

    once = steps.look(lost, seen(**RUNNING), NOW)
    twice = steps.look(once, seen(**RUNNING), NOW)

    assert once.lost and once.first_miss_at == NOW
    assert not twice.lost


def test_a_lost_server_that_goes_on_missing_stays_lost():
    assert steps.look(steps.Health(0, NOW, 1, True), seen(power="off", phase="ready"), NOW).lost
