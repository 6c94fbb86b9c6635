"""What to do next with a Deployment and its Operations. Pure: what was seen and what the clock says goes in, one decision comes out.

The verbs of an Operation, in the order in which a Deployment meets them: prepare, hand_over; then fence (power off), take_back (tenant network off), wipe,
validate. Beside these, for a Server as a whole: quarantine and return_to_service.
An attempt counts definite failures only: a lost reply is asked again under the same key, Busy waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from rentals.domain.observations import Observation, WipeReport

# From when on an Operation has failed (provisioning: states, deadlines, exits).
TIME_LIMITS = {
    "prepare": timedelta(minutes=45),
    "hand_over": timedelta(minutes=15),
    "fence": timedelta(minutes=15),
    "take_back": timedelta(minutes=15),
    "wipe": timedelta(hours=6),
    "validate": timedelta(minutes=30),
    "quarantine": timedelta(minutes=15),
    "return_to_service": timedelta(minutes=15),
}
ATTEMPTS = {"prepare": 2, "hand_over": 1, "fence": 20, "take_back": 10, "wipe": 3, "validate": 3, "quarantine": 3, "return_to_service": 3}
UNACKNOWLEDGED_AFTER = timedelta(minutes=3)  # asked and answered, and still no trace of it: the engine has lost it
CANCEL_GRACE = timedelta(minutes=15)
BEGIN_PATIENCE = timedelta(hours=6)  # a tenant whose Server is not free waits this long after his start at most: as long as a wipe may take
COOL_DOWN = timedelta(minutes=30)
POISONED_AFTER = 3  # failed Deployments on one Server within a day
LOST_AFTER = 3  # looks in a row that found a running Server gone
RESTORED_AFTER = 2


@dataclass(frozen=True, slots=True)
class Task:
    """The facts of one Operation that a decision needs. `asked_at` is when its present attempt was last asked, `heard` whether the engine took it.
    `claimed` is False for an Operation about the Server as a whole, which knows no Claim by name."""

    verb: str
    key: str
    attempt: int
    created_at: datetime
    deadline_at: datetime
    asked_at: datetime | None = None
    heard: bool = False
    cancel_wanted: bool = False
    whole: bool = True
    claimed: bool = True
    gpus: frozenset[str] = frozenset()
    disks: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """Make this one call now: the Operation's own verb, or `cancel`."""

    verb: str


@dataclass(frozen=True, slots=True)
class Wait:
    reason: str


@dataclass(frozen=True, slots=True)
class Retry:
    """This attempt has definitely failed; the next one has a new key."""

    reason: str


@dataclass(frozen=True, slots=True)
class Finished:
    pass


@dataclass(frozen=True, slots=True)
class Failed:
    """`outcome`: failed, cancelled, overdue. `reason` is for the operator."""

    reason: str
    outcome: str = "failed"


Decision = Ask | Wait | Retry | Finished | Failed


def decide(task: Task, seen: Observation | None, report: WipeReport | None, now: datetime) -> Decision:
    """The next step of one Operation. `seen` is None when the engine could not be heard; `report` is the last wipe, for a wipe."""
    if seen is None:
        return _overdue(task, now) or Wait("the engine cannot be heard")
    if task.verb == "wipe":
        return _wipe(task, seen, report, now)
    return DECISIONS[task.verb](task, seen, now)


def _prepare(task: Task, seen: Observation, now: datetime) -> Decision:
    if not seen.present:
        return Failed("the machine is not there")
    if seen.phase in ("prepared", "attaching", "ready"):
        return Finished()
    if seen.phase == "working":
        return _stop_or_wait(task, now)
    if task.cancel_wanted:
        return Failed("cancelled", "cancelled")
    if seen.others:
        return Failed(f"occupied by {', '.join(seen.others)}")
    if seen.phase == "detached":
        return Failed("the claim was given up")
    if seen.phase == "failed" and task.heard:
        return _again(task, seen.error or "the preparation failed")
    return _overdue(task, now) or _ask_unless_lost(task, seen, now)


def _stop_or_wait(task: Task, now: datetime) -> Decision:
    """The engine is at work. A cancel wish, or the deadline, asks it to stop until it does; what cannot be stopped has a limit as well."""
    if now >= task.deadline_at + CANCEL_GRACE:
        return Failed("not prepared in time, and it cannot be stopped", "overdue")
    if task.cancel_wanted or now >= task.deadline_at:
        return Ask("cancel")
    return Wait("being prepared")


def _hand_over(task: Task, seen: Observation, now: datetime) -> Decision:
    if not seen.present:
        return Failed("the machine is not there")
    if seen.phase == "ready":
        return Finished()
    if seen.phase not in ("prepared", "attaching"):
        return Failed(seen.error or "nothing is prepared")
    if overdue := _overdue(task, now):
        return overdue
    if seen.phase == "attaching":
        return Wait("being handed over")
    if task.cancel_wanted:
        return Failed("cancelled", "cancelled")
    return _ask_unless_lost(task, seen, now)


def _fence(task: Task, seen: Observation, now: datetime) -> Decision:
    if seen.power == "off" or (not task.whole and seen.phase in ("absent", "detached")):
        return Finished()
    if overdue := _overdue(task, now):
        return overdue
    if not seen.present:
        return Wait("the machine is not there: it cannot be seen to be off")
    return _ask_unless_lost(task, seen, now)


def _take_back(task: Task, seen: Observation, now: datetime) -> Decision:
    if not task.claimed:  # whatever still stands on the Server is given up, one after the other
        return _overdue(task, now) or Ask("take_back") if seen.others else Finished()
    if seen.phase == "detached" and not (task.whole and seen.network == "tenant"):
        return Finished()
    return _overdue(task, now) or _ask_unless_lost(task, seen, now)


def _wipe(task: Task, seen: Observation, report: WipeReport | None, now: datetime) -> Decision:
    if report is not None and report.reference == task.key:
        if not report.finished:
            return _overdue(task, now) or Wait("being wiped")
        flaw = wipe_flaw(report, task.disks)
        return _again(task, flaw) if flaw else Finished()
    if seen.work:
        return _overdue(task, now) or Wait(f"the machine is busy: {seen.work}")
    return _overdue(task, now) or _ask_unless_lost(task, seen, now)


def wipe_flaw(report: WipeReport, disks: int) -> str:
    """Why this wipe does not count; "" when every one of the `disks` disks was erased and says so. Seven of eight is a failed wipe."""
    passed = {disk.serial for disk in report.disks if disk.result == "passed"}
    bad = [disk.serial for disk in report.disks if disk.result != "passed"]
    untouched = [serial for serial in report.expected if serial not in passed and serial not in bad]
    if bad or untouched:
        return f"not erased: {', '.join(bad + untouched)}"
    if len(passed) < disks:
        return f"{len(passed)} of {disks} disks erased"
    return report.error


def _validate(task: Task, seen: Observation, now: datetime) -> Decision:
    if not seen.present:
        return Failed("the machine is not there")
    if seen.validated == task.key:
        if seen.fault == "validation was interrupted":
            return _again(task, seen.fault)
        flaw = hardware_flaw(seen, task.gpus, task.disks)
        return Failed(flaw) if flaw else Finished()
    if seen.work:
        return _overdue(task, now) or Wait(f"the machine is busy: {seen.work}")
    return _overdue(task, now) or _ask_unless_lost(task, seen, now)


def hardware_flaw(seen: Observation, gpus: frozenset[str], disks: int) -> str:
    """What is missing, strange or broken in a machine; "" when it is what it should be."""
    if missing := sorted(gpus - set(seen.gpus)):
        return f"accelerators missing: {', '.join(missing)}"
    if strange := sorted(set(seen.gpus) - gpus):
        return f"accelerators unknown: {', '.join(strange)}"
    if len(seen.disks) != disks:
        return f"{len(seen.disks)} of {disks} disks found"
    return seen.fault


def _pool(task: Task, seen: Observation, now: datetime) -> Decision:
    if seen.pool == ("quarantined" if task.verb == "quarantine" else "active"):
        return Finished()
    return _overdue(task, now) or _ask_unless_lost(task, seen, now)


def _overdue(task: Task, now: datetime) -> Failed | None:
    return Failed("not done in time", "overdue") if now >= task.deadline_at else None


def _again(task: Task, reason: str) -> Decision:
    return Retry(reason) if task.attempt < ATTEMPTS[task.verb] else Failed(reason)


def _ask_unless_lost(task: Task, seen: Observation, now: datetime) -> Decision:
    """Ask what was not asked, or asked without an answer. What the engine took leaves a trace within a while, or it has lost it."""
    if task.asked_at is None or not task.heard:
        return Ask(task.verb)
    if seen.observed_at > task.asked_at + UNACKNOWLEDGED_AFTER:
        return _again(task, "the engine has no trace of it")
    return Wait("accepted")


DECISIONS = {
    "prepare": _prepare,
    "hand_over": _hand_over,
    "fence": _fence,
    "take_back": _take_back,
    "validate": _validate,
    "quarantine": _pool,
    "return_to_service": _pool,
}


def pause(task: Task, unheard: int, now: datetime, fraction: float) -> timedelta:
    """Until the next look: short at first, longer with age and with each time the engine was not heard; `fraction` in [0, 1) spreads it by a fifth."""
    seconds = min(30.0, 2.0**unheard) if unheard else min(15.0, max(1.0, (now - task.created_at) / timedelta(seconds=10)))
    return timedelta(seconds=seconds * (0.9 + 0.2 * fraction))


def next_step(state: str, now: datetime, *, start: datetime, due_at: datetime, end_wanted_at: datetime) -> str:
    """What a Deployment without an open Operation begins now: begin, hand_over, undeploy, cancel; "" while it has nothing to do."""
    over = now >= end_wanted_at
    if state == "planned":
        return "cancel" if over else ("begin" if now >= due_at else "")
    if state == "prepared":
        return "undeploy" if over else ("hand_over" if now >= start else "")
    return "undeploy" if state == "ready" and over else ""


@dataclass(frozen=True, slots=True)
class Begin:
    pass


@dataclass(frozen=True, slots=True)
class Hold:
    """Not yet. With `try_spare` another Server is looked for meanwhile."""

    reason: str
    try_spare: bool


@dataclass(frozen=True, slots=True)
class GiveUp:
    reason: str


def may_begin(server_state: str, *, occupied: bool, cooling: bool, sellable: bool, crowded: bool, now: datetime, start: datetime) -> Begin | Hold | GiveUp:
    """Whether preparation may begin on this Server. Before the start one waits for the tenant before; from the start on, or when nobody knows when the
    Server comes back, a spare is looked for."""
    if server_state == "available" and not occupied and not cooling:
        return Hold("too many machines of this rack are being prepared", False) if crowded else Begin()
    reason = "the tenant before is still being moved out" if occupied else ("cooling down" if cooling else f"the server is {server_state}")
    if now >= start + BEGIN_PATIENCE:
        return GiveUp(reason)
    return Hold(reason, try_spare=not sellable or cooling or now >= start)


@dataclass(frozen=True, slots=True)
class Health:
    """How a running Server has looked lately. `misses` and `hits` are in a row."""

    misses: int = 0
    first_miss_at: datetime | None = None
    hits: int = 0
    lost: bool = False


def look(health: Health, seen: Observation | None, now: datetime) -> Health:
    """Health after one more look. An engine that cannot be heard says nothing about the Server; one slow check interrupts nobody."""
    if seen is None:
        return health
    if seen.present and seen.power == "on" and seen.phase == "ready":
        hits = health.hits + 1
        if health.lost and hits < RESTORED_AFTER:
            return Health(0, health.first_miss_at, hits, True)
        return Health(hits=hits)
    misses = health.misses + 1
    return Health(misses, health.first_miss_at or now, 0, health.lost or misses >= LOST_AFTER)
