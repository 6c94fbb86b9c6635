"""The machines of the simulated engine, what is done to them, and how long it takes.

Every verb answers at once and sets timers; `settle` carries out what has become due, in order and with its own moment, so that a state read late is the
state as of now. Durations are real seconds divided by `speed`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

from rentals.provisioners.simulated.effects import Effects
from rentals.provisioners.simulated.faults import Faults, fraction
from rentals.provisioners.simulated.store import Store

Reply = tuple[int, dict]
ALL_SLOTS = [0, 10_000]
PHASES = ("claim", "image", "boot")
STOPPABLE = frozenset({"claim", "boot"})  # while an image is being written nothing can stop it
VERBS = frozenset(
    {"prepare", "hand_over", "observe", "power", "take_back", "wipe", "wipe_evidence", "validate", "quarantine", "return_to_service", "cancel", "inventory"}
)


def accepted(ref: str = "") -> Reply:
    return 202, {"answer": "accepted", "ref": ref}


def already_done(ref: str = "") -> Reply:
    return 200, {"answer": "already_done", "ref": ref}


def busy(after: float = 1.0) -> Reply:
    return 409, {"answer": "busy", "retry_after": after}


def rejected(reason: str) -> Reply:
    return 422, {"answer": "rejected", "reason": reason}


def moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


class Rack:
    """All verbs of the engine over one store. Call inside `store.transaction()`."""

    def __init__(self, store: Store, *, speed: float, seed: int, clock: Callable[[], float]) -> None:
        self.store = store
        self.clock = clock
        self.faults = Faults(store, seed)
        self.effects = Effects(store, self.faults, speed=speed, seed=seed)

    def recover(self) -> None:
        """After a restart: what was being prepared or wiped is lost and says so (as Ironic does); power and network changes are carried on."""
        self.settle()
        self.store.forget_timers(keep=("power", "detach", "phase"))
        now = self.clock()
        for name, claim in self.store.every("claim"):
            self.effects.interrupt_claim(name, claim, now)
        for name, gone in self.store.every("gone"):
            self.effects.interrupt_gone(name, gone, now)
        for serial, machine in self.store.every("machine"):
            self.effects.interrupt_machine(serial, machine, now)

    def settle(self) -> None:
        now = self.clock()
        while (timer := self.store.pop_timer(now)) is not None:
            self.effects.carry_out(*timer)

    def do(self, verb: str, serial: str, body: dict) -> Reply:
        """One request of a verb that changes something, once for each op key."""
        self.settle()
        if self.enrol(serial, body.get("machine") or {}).get("vanished"):
            return 404, {"answer": "rejected", "reason": f"no machine {serial}"}
        wanted = json.dumps({key: value for key, value in body.items() if key != "op"}, sort_keys=True) + verb + serial
        known = self.store.get("op", body["op"])
        if known is not None:
            return already_done(known["ref"]) if known["request"] == wanted else rejected("this op was another request")
        status, answer = getattr(self, f"_{verb}")(serial, body)
        if status < 300:
            self.store.put("op", body["op"], {"request": wanted, "ref": answer.get("ref", "")})
        return status, answer

    def enrol(self, serial: str, facts: dict) -> dict:
        """The machine as it stands in the rack; one never heard of is taken to be what the caller says it is."""
        machine = self.store.get("machine", serial)
        if machine is None:
            machine = {
                "gpus": list(facts.get("gpus", [])),
                "disks": [f"SIM{int(fraction(serial, 'disk', index) * 36**8):011d}" for index in range(facts.get("disks", 0))],
                "power": "off", "network": "provisioning", "work": "", "work_key": "", "validated": "", "fault": "", "pool": "active",
                "vanished": False,
            }  # fmt: skip
            self.store.put("machine", serial, machine)
        return machine

    def claims_of(self, serial: str) -> list[tuple[str, dict]]:
        return [(name, claim) for name, claim in self.store.every("claim") if claim["serial"] == serial]

    def overlapping(self, serial: str, slots: list[int], name: str) -> list[str]:
        lo, hi = slots
        return [other for other, held in self.claims_of(serial) if other != name and held["slots"][0] < hi and lo < held["slots"][1]]

    def _prepare(self, serial: str, body: dict) -> Reply:
        wish, machine = body["claim"], self.store.known("machine", serial)
        name = wish["name"]
        if machine["pool"] != "active" or self.store.get("gone", name):
            return rejected("this claim was given up" if machine["pool"] == "active" else "the machine is in quarantine")
        if machine["work"]:
            return busy()
        claim = self.store.get("claim", name)
        if claim is not None and claim["phase"] != "failed":
            return already_done(name)
        if others := self.overlapping(serial, wish["slots"], name):
            return rejected(f"occupied by {', '.join(others)}")
        claim = {**wish, "serial": serial, "phase": "working", "phases": [], "error": "", "power": "off", "network": "provisioning", "access": None}
        self.effects.begin_phase(name, claim, PHASES[0], self.clock())
        return accepted(name)

    def _hand_over(self, serial: str, body: dict) -> Reply:
        claim = self.store.get("claim", body["name"])
        if claim is None or claim["phase"] not in ("prepared", "attaching", "ready"):
            return rejected("nothing is prepared under this name")
        if claim["phase"] != "prepared":
            return already_done(body["name"])
        claim["phase"] = "attaching"
        self.effects.begin_phase(body["name"], claim, "network", self.clock())
        return accepted(body["name"])

    def _power(self, serial: str, body: dict) -> Reply:
        name = body.get("name", "")
        claim = self.store.get("claim", name) if name else None
        if name and claim is None:
            return already_done()
        if any(held["phase"] == "working" and name in ("", other) for other, held in self.claims_of(serial)):
            return busy()
        if self.faults.strike("power_stuck", verb="power", serial=serial) is None:
            self.effects.later("power", f"{serial}/{name}", serial, self.clock(), 4, serial=serial, name=name, power=body["action"])
        return accepted()

    def _take_back(self, serial: str, body: dict) -> Reply:
        name = body["name"]
        claim = self.store.get("claim", name)
        if claim is None:
            self.store.put("gone", name, self.store.get("gone", name) or {"serial": serial, "work": ""})
            return already_done()
        if claim["phase"] == "detaching":
            return already_done(name)
        if claim["phase"] == "working":
            return busy()
        claim["phase"] = "detaching"
        self.store.put("claim", name, claim)
        if self.faults.strike("detach_stuck", verb="take_back", serial=serial) is None:
            self.effects.later("detach", name, serial, self.clock(), 6, name=name)
        return accepted(name)

    def _wipe(self, serial: str, body: dict) -> Reply:
        name, machine = body.get("name", ""), self.store.get("machine", serial)
        gone = self.store.get("gone", name) if name else machine
        if gone is None or any(held["whole"] or name in ("", other) for other, held in self.claims_of(serial)):
            return rejected("a claim is still on it")
        if gone["work"]:
            return busy()
        self.effects.begin_wipe(serial, name, body["op"], self.clock())
        return accepted()

    def _validate(self, serial: str, body: dict) -> Reply:
        machine = self.store.known("machine", serial)
        if machine["work"]:
            return busy()
        machine.update(work="validating", work_key=body["op"])
        self.store.put("machine", serial, machine)
        self.effects.later("validated", serial, serial, self.clock(), 60, serial=serial, op=body["op"])
        return accepted()

    def _quarantine(self, serial: str, body: dict) -> Reply:
        return self._pool(serial, "quarantined")

    def _return_to_service(self, serial: str, body: dict) -> Reply:
        return self._pool(serial, "active")

    def _pool(self, serial: str, pool: str) -> Reply:
        machine = self.store.known("machine", serial)
        if machine["pool"] == pool:
            return already_done()
        self.store.put("machine", serial, {**machine, "pool": pool})
        return accepted()

    def _cancel(self, serial: str, body: dict) -> Reply:
        claim = self.store.get("claim", body["name"])
        if claim is None or claim["phase"] != "working":
            return already_done()
        if claim["phases"][-1]["name"] not in STOPPABLE:
            return busy()
        claim.update(phase="failed", error="cancelled")
        claim["phases"][-1]["finished_at"] = self.clock()
        self.store.put("claim", body["name"], claim)
        return accepted()

    def observe(self, serial: str, body: dict) -> Reply:
        self.settle()
        machine = self.enrol(serial, body.get("machine") or {})
        name = body.get("name", "")
        if self.faults.strike("stale", verb="observe", serial=serial) is not None:
            last = self.store.get("said", f"{serial}/{name}")
            if last is not None:
                return 200, last
        said = self._observation(serial, machine, name, body.get("slots") or ALL_SLOTS)
        self.store.put("said", f"{serial}/{name}", said)
        return 200, said

    def _observation(self, serial: str, machine: dict, name: str, slots: list[int]) -> dict:
        now = moment(self.clock())
        if machine["vanished"]:
            return {"observed_at": now, "present": False}
        claim = self.store.get("claim", name) if name else None
        gone = self.store.get("gone", name) if name else None
        seat = machine if claim is None or claim["whole"] else claim
        said = {
            "observed_at": now, "present": True, "power": seat["power"], "network": seat["network"], "pool": machine["pool"],
            "phase": "detached" if gone else "absent", "phases": [], "others": self.overlapping(serial, slots, name),
            "work": (gone or {}).get("work") or machine["work"], "validated": machine["validated"], "fault": machine["fault"], "gpus": machine["gpus"],
            "disks": machine["disks"], "access": None, "error": "", "engine_word": machine["pool"],
        }  # fmt: skip
        if claim is not None:
            phases = [{**phase, "started_at": moment(phase["started_at"]), "finished_at": moment(phase["finished_at"])} for phase in claim["phases"]]
            said.update(phase=claim["phase"], phases=phases, access=claim["access"], error=claim["error"], engine_word=claim["phase"])
        return said

    def wipe_evidence(self, serial: str, body: dict) -> Reply:
        self.settle()
        self.enrol(serial, body.get("machine") or {})
        wipe = self.store.get("wipe", f"{serial}/{body.get('name', '')}")
        if wipe is None:
            return 200, {"wipe": None}
        disks = [{**disk, "finished_at": moment(disk["finished_at"])} for disk in wipe["disks"]]
        return 200, {"wipe": {**wipe, "disks": disks, "finished_at": moment(wipe["finished_at"])}}

    def inventory(self, cursor: str, size: int = 200) -> Reply:
        self.settle()
        rows = self.store.every("claim", after=cursor, limit=size)
        claims = [{"name": name, "serial": claim["serial"], "phase": claim["phase"]} for name, claim in rows]
        return 200, {"claims": claims, "next": rows[-1][0] if len(rows) == size else ""}
