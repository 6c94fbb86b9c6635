"""The contract that every engine must keep. Runs against the simulated engine as the outside process that it is; another engine joins by a line in ENGINES.

Effects are waited for by observing, within a limit: an engine promises what, not when.
"""

from __future__ import annotations

import time
import uuid

import httpx
import pytest

from rentals.domain import deployment_steps as steps
from rentals.provisioners import base
from rentals.provisioners.breaker import Guarded
from rentals.provisioners.simulated.client import Simulated
from tests.rentals import engine as engines

ENGINES = ["simulated"]
PATIENCE = 10.0


@pytest.fixture(scope="module", params=ENGINES)
def running(request, tmp_path_factory):
    with engines.process(tmp_path_factory.mktemp("engine"), speed=2000) as process:
        yield process


@pytest.fixture
def engine(running):
    running.clear_faults()
    return Simulated(running.address, timeout=httpx.Timeout(0.5))


@pytest.fixture
def machine():
    serial = f"srv-{uuid.uuid4().hex[:8]}"
    return base.Machine(serial, "", tuple(f"GPU-{serial}-{index}" for index in range(8)), 8)


def op(attempt=1):
    return base.Op(uuid.uuid4(), attempt)


def claim(machine, *, slots=(0, 64), whole=True, name=""):
    return base.Claim(name or f"bk-{uuid.uuid4()}", slots, whole, machine.gpus, "ubuntu-24.04-cuda", "ubuntu", ("ssh-ed25519 AAAA ada",))


def until(engine, machine, name, reached):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        seen = engine.observe(machine, name)
        if isinstance(seen, base.Observation) and reached(seen):
            return seen
        time.sleep(0.01)
    raise AssertionError(f"not reached: {seen}")


def phase(*names):
    return lambda seen: seen.phase in names


def prepared(engine, machine, wish=None):
    wish = wish or claim(machine)
    assert isinstance(engine.prepare(op(), machine, wish), base.Accepted)
    until(engine, machine, wish.name, phase("prepared"))
    return wish


def handed_over(engine, machine, wish=None):
    wish = prepared(engine, machine, wish)
    assert isinstance(engine.hand_over(op(), machine, wish.name), base.Accepted)
    until(engine, machine, wish.name, phase("ready"))
    return wish


def taken_back(engine, machine, wish, name=""):
    engine.power(op(), machine, "off", name)
    until(engine, machine, wish.name, lambda seen: seen.power == "off")
    engine.take_back(op(), machine, wish.name)
    return until(engine, machine, wish.name, phase("detached"))


def wiped(engine, machine, name="", attempt=None):
    attempt = attempt or op()
    assert isinstance(engine.wipe(attempt, machine, name), (base.Accepted, base.AlreadyDone))
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        report = engine.wipe_evidence(machine, name)
        if isinstance(report, base.WipeReport) and report.reference == attempt.key and report.finished:
            return report
        time.sleep(0.01)
    raise AssertionError("the wipe does not end")


def test_an_engine_says_what_it_can_do(engine):
    said = engine.capabilities()

    assert said.name in ENGINES
    assert {"prepare", "hand_over", "observe", "power", "take_back", "wipe", "wipe_evidence", "validate"} <= said.verbs


def test_a_claim_is_prepared_without_the_tenant_network_and_handed_over_with_it(engine, machine):
    wish = prepared(engine, machine)
    before = engine.observe(machine, wish.name)

    engine.hand_over(op(), machine, wish.name)
    after = until(engine, machine, wish.name, phase("ready"))

    assert (before.network, before.access, before.power) == ("provisioning", None, "on")
    assert (after.network, after.access.login) == ("tenant", "ubuntu")
    assert [step.name for step in after.phases] == ["claim", "image", "boot", "network", "ssh_check"]
    assert all(step.finished_at is not None for step in after.phases)


def test_a_repeated_preparation_finds_its_own_work(engine, machine):
    wish, first = claim(machine), op()
    engine.prepare(first, machine, wish)

    assert isinstance(engine.prepare(first, machine, wish), base.AlreadyDone)
    assert isinstance(engine.prepare(op(), machine, wish), base.AlreadyDone)
    assert [held.name for held in inventory(engine) if held.serial == machine.serial] == [wish.name]


def test_one_op_is_one_request(engine, machine):
    first = op()
    engine.prepare(first, machine, claim(machine))

    assert isinstance(engine.prepare(first, machine, claim(machine)), base.Rejected)


def test_a_machine_is_never_given_twice(engine, machine):
    prepared(engine, machine)

    refused = engine.prepare(op(), machine, claim(machine))

    assert isinstance(refused, base.Rejected)
    assert refused.reason.startswith("occupied by bk-")


def test_slices_of_one_machine_live_and_leave_on_their_own(engine, machine):
    one, two = claim(machine, slots=(0, 4), whole=False), claim(machine, slots=(4, 8), whole=False)
    handed_over(engine, machine, one)
    handed_over(engine, machine, two)

    taken_back(engine, machine, one, one.name)
    report = wiped(engine, machine, one.name)

    assert len(report.disks) == 1
    assert engine.observe(machine, two.name).phase == "ready"
    assert engine.observe(machine, two.name).power == "on"
    assert engine.observe(machine, "bk-new", (0, 4)).others == ()
    assert engine.observe(machine, "bk-new", (2, 6)).others == (two.name,)


def test_nothing_is_handed_over_that_was_not_prepared(engine, machine):
    assert isinstance(engine.hand_over(op(), machine, "bk-nothing"), base.Rejected)


def test_a_claim_that_was_given_up_can_never_be_prepared_by_a_late_request(engine, machine):
    wish = claim(machine)
    assert isinstance(engine.take_back(op(), machine, wish.name), base.AlreadyDone)

    assert isinstance(engine.prepare(op(), machine, wish), base.Rejected)


def test_a_preparation_that_is_cancelled_ends(engine, machine):
    wish = claim(machine)
    engine.prepare(op(), machine, wish)
    for attempt in range(1, 500):
        if not isinstance(engine.cancel(op(attempt), machine, wish.name), base.Busy):
            break
        time.sleep(0.005)

    assert until(engine, machine, wish.name, phase("failed", "prepared")).phase in ("failed", "prepared")


def test_the_way_out_ends_with_every_disk_erased_by_serial(engine, machine):
    wish = handed_over(engine, machine)
    gone = taken_back(engine, machine, wish)

    report = wiped(engine, machine)

    assert (gone.network, gone.power, gone.access) == ("provisioning", "off", None)
    assert len({disk.serial for disk in report.disks}) == 8
    assert {disk.serial for disk in report.disks} == set(report.expected)
    assert all(disk.result == "passed" and disk.method and disk.finished_at for disk in report.disks)


def test_a_machine_with_a_claim_on_it_is_not_wiped(engine, machine):
    prepared(engine, machine)

    assert isinstance(engine.wipe(op(), machine), base.Rejected)


def test_a_wipe_is_done_once_for_one_key_and_again_for_the_next(engine, machine):
    first = op()
    report = wiped(engine, machine, attempt=first)

    assert isinstance(engine.wipe(first, machine), base.AlreadyDone)
    assert engine.wipe_evidence(machine) == report
    assert wiped(engine, machine, attempt=base.Op(first.id, 2)).reference == f"{first.id}/2"


def test_validation_reports_what_is_bolted_in(engine, machine):
    first = op()
    engine.validate(first, machine)

    seen = until(engine, machine, "", lambda seen: seen.validated == first.key)

    assert (set(seen.gpus), len(seen.disks), seen.fault) == (set(machine.gpus), 8, "")


def test_a_machine_in_quarantine_takes_nothing_until_it_is_returned(engine, machine):
    engine.quarantine(op(), machine, "smoke")
    assert isinstance(engine.prepare(op(), machine, claim(machine)), base.Rejected)

    engine.return_to_service(op(), machine)

    assert isinstance(engine.prepare(op(), machine, claim(machine)), base.Accepted)


def inventory(engine):
    held, cursor = [], ""
    while True:
        page = engine.inventory(cursor)
        held += page.claims
        cursor = page.next
        if not cursor:
            return held


# Faults. Each is Unknown or Busy to the caller; what is really so is found by observing. The control shows the harm without the guard.


@pytest.mark.parametrize("fault", ["request_lost", "error_html", "garbage", "unauthorized"])
def test_a_request_that_never_arrived_is_unknown_and_left_no_trace(running, engine, machine, fault):
    wish = claim(machine)
    running.fault(fault, verb="prepare", serial=machine.serial)

    assert isinstance(engine.prepare(op(), machine, wish), base.Unknown)
    assert engine.observe(machine, wish.name).phase == "absent"


def test_a_reply_that_was_lost_is_unknown_and_its_effect_is_there(running, engine, machine):
    wish, first = claim(machine), op()
    running.fault("reply_lost", verb="prepare", serial=machine.serial)

    assert isinstance(engine.prepare(first, machine, wish), base.Unknown)
    assert engine.observe(machine, wish.name).phase != "absent"
    assert isinstance(engine.prepare(first, machine, wish), base.AlreadyDone)


def test_control_a_retry_under_a_new_name_after_a_lost_reply_is_refused_and_would_have_doubled_on_two_machines(running, engine, machine):
    running.fault("reply_lost", verb="prepare", serial=machine.serial)
    engine.prepare(op(), machine, claim(machine))
    other = base.Machine(f"{machine.serial}-b", "", machine.gpus, 8)

    assert isinstance(engine.prepare(op(), machine, claim(machine)), base.Rejected)
    assert isinstance(engine.prepare(op(), other, claim(other)), base.Accepted)  # the harm: two machines at work for one tenant
    assert len([held for held in inventory(engine) if held.serial.startswith(machine.serial)]) == 2


def test_a_silent_engine_costs_no_more_than_the_time_limit(running, engine, machine):
    running.fault("hang", verb="observe", serial=machine.serial, seconds=3)
    began = time.monotonic()

    assert isinstance(engine.observe(machine), base.Unknown)
    assert time.monotonic() - began < 2


def test_an_engine_that_is_not_there_is_unknown():
    away = Simulated(f"http://127.0.0.1:{engines.free_port()}")

    assert isinstance(away.capabilities(), base.Unknown)
    assert isinstance(away.inventory(), base.Unknown)
    assert isinstance(away.wipe_evidence(base.Machine("srv")), base.Unknown)
    assert isinstance(away.prepare(op(), base.Machine("srv"), base.Claim("bk-1", (0, 8), True)), base.Unknown)


def test_busy_passes_and_is_no_failure(running, engine, machine):
    running.fault("busy", verb="prepare", serial=machine.serial, times=2, retry_after=0.5)
    wish, first = claim(machine), op()

    answers = [engine.prepare(first, machine, wish) for _ in range(3)]

    assert answers[:2] == [base.Busy(0.5), base.Busy(0.5)]
    assert isinstance(answers[2], base.Accepted)


def test_a_stale_observation_can_be_told_by_its_moment(running, engine, machine):
    wish = claim(machine)
    before = engine.observe(machine, wish.name)
    engine.prepare(op(), machine, wish)
    running.fault("stale", verb="observe", serial=machine.serial)

    stale = engine.observe(machine, wish.name)

    assert (stale.phase, stale.observed_at) == ("absent", before.observed_at)
    assert engine.observe(machine, wish.name).phase != "absent"


def test_a_failed_preparation_can_be_repeated_under_the_same_name(running, engine, machine):
    running.fault("deploy_fails", serial=machine.serial)
    wish, first = claim(machine), op()
    engine.prepare(first, machine, wish)
    failed = until(engine, machine, wish.name, phase("failed"))

    assert isinstance(engine.prepare(base.Op(first.id, 2), machine, wish), base.Accepted)
    assert failed.phases[-1].failed and failed.error
    assert until(engine, machine, wish.name, phase("prepared")).error == ""


def test_a_hand_over_without_an_answer_on_ssh_is_not_ready(running, engine, machine):
    running.fault("attach_fails", serial=machine.serial)
    wish = prepared(engine, machine)
    engine.hand_over(op(), machine, wish.name)

    assert until(engine, machine, wish.name, phase("failed")).access is None


def test_one_dead_disk_is_named_in_the_evidence(running, engine, machine):
    running.fault("wipe_partial", serial=machine.serial)

    report = wiped(engine, machine)

    failed = [disk.serial for disk in report.disks if disk.result == "failed"]
    assert len(failed) == 1
    assert failed[0] in steps.wipe_flaw(report, 8)
    assert engine.observe(machine).fault == "wipe failed"


def test_a_wipe_that_breaks_off_says_so(running, engine, machine):
    running.fault("wipe_fails", serial=machine.serial)

    assert steps.wipe_flaw(wiped(engine, machine), 8)


def test_a_network_that_does_not_acknowledge_is_not_off(running, engine, machine):
    wish = handed_over(engine, machine)
    running.fault("detach_stuck", serial=machine.serial)

    engine.take_back(op(), machine, wish.name)
    time.sleep(0.1)

    assert engine.observe(machine, wish.name).phase == "detaching"
    assert engine.observe(machine, wish.name).network == "tenant"


def test_power_is_off_when_it_is_seen_to_be_off(running, engine, machine):
    wish = handed_over(engine, machine)
    running.fault("power_stuck", serial=machine.serial)

    engine.power(op(), machine, "off")
    time.sleep(0.1)

    assert engine.observe(machine, wish.name).power == "on"


def test_a_missing_accelerator_is_missing_in_the_validation(running, engine, machine):
    engine.observe(machine)
    running.alter(machine.serial, gpus=list(machine.gpus[:7]))
    first = op()
    engine.validate(first, machine)

    seen = until(engine, machine, "", lambda seen: seen.validated == first.key)

    assert steps.hardware_flaw(seen, frozenset(machine.gpus), 8) == f"accelerators missing: {machine.gpus[7]}"


def test_a_machine_that_vanishes_is_not_there(running, engine, machine):
    wish = handed_over(engine, machine)
    running.alter(machine.serial, vanished=True)

    assert engine.observe(machine, wish.name).present is False
    assert isinstance(engine.prepare(op(), machine, claim(machine)), base.Rejected)


def test_a_poisoned_machine_stalls_no_other(running, engine):
    poisoned = base.Machine(f"srv-{uuid.uuid4().hex[:8]}", "", ("g",), 1)
    healthy = [base.Machine(f"srv-{uuid.uuid4().hex[:8]}", "", ("g",), 1) for _ in range(20)]
    running.fault("deploy_fails", serial=poisoned.serial, times=1000)

    wishes = [(machine, claim(machine)) for machine in [poisoned, *healthy]]
    for machine, wish in wishes:
        engine.prepare(op(), machine, wish)

    assert until(engine, *pair(wishes[0]), phase("failed"))
    for machine, wish in wishes[1:]:
        assert until(engine, machine, wish.name, phase("prepared"))


def pair(wished):
    machine, wish = wished
    return machine, wish.name


# Death of the engine


def test_what_was_acknowledged_survives_the_death_of_the_engine(running, engine, machine):
    wish = handed_over(engine, machine)
    running.fault("busy", verb="validate", serial=machine.serial)

    running.restart()

    assert engine.observe(machine, wish.name).phase == "ready"
    assert isinstance(engine.validate(op(), machine), base.Busy)


def test_death_while_deploying_is_a_failed_deployment_with_its_lock_cleared(running, engine, machine):
    running.fault("slow", verb="phase", serial=machine.serial, factor=100_000)
    wish, first = claim(machine), op()
    engine.prepare(first, machine, wish)

    running.restart()

    assert engine.observe(machine, wish.name).phase == "failed"
    assert isinstance(engine.prepare(base.Op(first.id, 2), machine, wish), base.Accepted)
    assert [held.name for held in inventory(engine) if held.serial == machine.serial] == [wish.name]


def test_death_while_wiping_is_a_failed_wipe(running, engine, machine):
    running.fault("slow", verb="disk", serial=machine.serial, factor=100_000, times=8)
    first = op()
    engine.wipe(first, machine)

    running.restart()
    report = engine.wipe_evidence(machine)

    assert (report.finished, report.reference) == (True, first.key)
    assert steps.wipe_flaw(report, 8)


def test_an_orphan_is_in_the_inventory_under_its_name(engine, machine):
    wish = prepared(engine, machine)

    assert base.Held(wish.name, machine.serial, "prepared") in inventory(engine)


def test_an_acknowledged_claim_that_was_lost_is_absent(running, engine, machine):
    wish = prepared(engine, machine)
    running.alter(machine.serial, forget=[wish.name])

    assert engine.observe(machine, wish.name).phase == "absent"


def test_faults_of_a_scenario_are_loaded_once(tmp_path):
    with engines.process(tmp_path, speed=2000, faults='[{"kind": "busy", "verb": "prepare"}]') as process:
        engine = Simulated(process.address)
        machine = base.Machine("srv-1", "", ("g",), 1)
        wish = claim(machine)

        assert isinstance(engine.prepare(op(), machine, wish), base.Busy)
        process.restart()
        assert isinstance(engine.prepare(op(), machine, wish), base.Accepted)


def test_an_engine_that_is_gone_is_left_alone_for_a_while():
    clock = [0.0]
    away = Simulated(f"http://127.0.0.1:{engines.free_port()}")
    guarded = Guarded(away, failures=2, rest=5, clock=lambda: clock[0])

    words = [guarded.capabilities().reason for _ in range(3)]
    clock[0] = 6
    words.append(guarded.capabilities().reason)

    assert words[2] == "the engine cannot be heard; resting"
    assert words[0] == words[1] == words[3] == "ConnectError"
