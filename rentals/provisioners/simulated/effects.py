"""What happens in the racks after a request was accepted, and how long it takes."""

from __future__ import annotations

from rentals.provisioners.simulated.faults import Faults, fraction
from rentals.provisioners.simulated.store import Store

# Seconds at speed 1. An image of 20 GB over 1 Gbit/s; a server's POST; a crypto-erase with a verifying read of samples.
SECONDS = {"claim": 2, "image": 170, "boot": 140, "network": 6, "ssh_check": 3, "disk": 180}
PART = 0.15  # of that, for a system of its own on a shared machine: no POST, a small volume
AFTER = {"claim": "image", "image": "boot", "boot": "", "network": "ssh_check", "ssh_check": ""}


class Effects:
    def __init__(self, store: Store, faults: Faults, *, speed: float, seed: int) -> None:
        self._store = store
        self._faults = faults
        self._speed = speed
        self._seed = seed

    def later(self, effect: str, subject: str, at: str, now: float, seconds: float, **doc: object) -> float:
        """Set the timer of `effect` on the machine `at` after about `seconds`; the moment it is due."""
        slow = self._faults.strike("slow", verb=effect, serial=at)
        jitter = 0.85 + 0.3 * fraction(self._seed, effect, subject)
        due = now + seconds * jitter * (slow["factor"] if slow else 1) / self._speed
        self._store.set_timer(due, effect, **doc)
        return due

    def carry_out(self, due: float, effect: str, doc: dict) -> None:
        getattr(self, f"_{effect}")(due, **doc)

    def begin_phase(self, name: str, claim: dict, phase: str, now: float) -> None:
        claim["phases"].append({"name": phase, "started_at": now, "finished_at": None, "failed": False})
        self._store.put("claim", name, claim)
        self.later("phase", f"{name}/{phase}", claim["serial"], now, SECONDS[phase] * (1 if claim["whole"] else PART), name=name, phase=phase)

    def _phase(self, due: float, name: str, phase: str) -> None:
        claim = self._store.get("claim", name)
        if claim is None or claim["phase"] not in ("working", "attaching") or claim["phases"][-1]["name"] != phase:
            return  # lost, cancelled or given up meanwhile
        claim["phases"][-1]["finished_at"] = due
        if self._fails(claim, phase):
            claim["phases"][-1]["failed"] = True
            claim.update(phase="failed", error=f"{phase} failed")
            self._store.put("claim", name, claim)
            return
        if phase == "boot":
            self._set_seat(claim, name, power="on")
        if phase == "network":
            self._set_seat(claim, name, network="tenant")
        following = AFTER[phase]
        if following:
            self.begin_phase(name, claim, following, due)
            return
        claim["phase"] = "prepared" if phase == "boot" else "ready"
        if phase == "ssh_check":
            tail = int(fraction(name, "address") * 16**6)
            claim["access"] = {"host": f"node-{tail:06x}.simulated.example", "port": 22, "login": claim["login"], "simulated": True}
        self._store.put("claim", name, claim)

    def _fails(self, claim: dict, phase: str) -> bool:
        kind = "deploy_fails" if claim["phase"] == "working" else "attach_fails"
        if kind == "attach_fails" and phase != "ssh_check":
            return False
        return self._faults.strike(kind, verb=phase, serial=claim["serial"]) is not None

    def _set_seat(self, claim: dict, name: str, **facts: str) -> None:
        """Power and network belong to the machine when the claim has the whole of it, else to the claim's own system."""
        claim.update(facts)
        if claim["whole"]:
            self._store.put("machine", claim["serial"], {**self._store.known("machine", claim["serial"]), **facts})

    def _power(self, due: float, serial: str, name: str, power: str) -> None:
        if not name:
            self._store.put("machine", serial, {**self._store.known("machine", serial), "power": power})
            return
        claim = self._store.get("claim", name)
        if claim is not None:
            self._store.put("claim", name, {**claim, "power": power})

    def _detach(self, due: float, name: str) -> None:
        claim = self._store.get("claim", name)
        if claim is None:
            return
        self._set_seat(claim, name, network="provisioning")
        self._store.drop("claim", name)
        self._store.put("gone", name, {"serial": claim["serial"], "work": "", "work_key": ""})

    def begin_wipe(self, serial: str, name: str, op: str, now: float) -> None:
        machine = self._store.known("machine", serial)
        expected = [f"VOL-{name.removeprefix('bk-')[:18]}"] if name else machine["disks"]
        self._store.put("wipe", f"{serial}/{name}", {"reference": op, "finished": False, "disks": [], "expected": expected, "error": "", "finished_at": None})
        self._set_work(serial, name, "wiping", op)
        if self._faults.strike("wipe_hangs", verb="wipe", serial=serial) is not None:
            return
        broken = self._faults.strike("wipe_fails", verb="wipe", serial=serial)
        bad = self._faults.strike("wipe_partial", verb="wipe", serial=serial)
        bad_disk = expected[bad.get("disk", len(expected) - 1)] if bad and expected else ""
        last = now
        for disk in expected:
            seconds = SECONDS["disk"] * (PART if name else 1)
            last = max(last, self.later("disk", f"{op}/{disk}", serial, now, seconds, serial=serial, name=name, op=op, disk=disk, bad=disk == bad_disk))
        self._store.set_timer(last, "wiped", serial=serial, name=name, op=op, error="the wipe broke off" if broken else "")

    def _disk(self, due: float, serial: str, name: str, op: str, disk: str, bad: bool) -> None:
        wipe = self._store.known("wipe", f"{serial}/{name}")
        if wipe["reference"] == op and not wipe["finished"]:
            method = "volume key destroyed" if name else "nvme sanitize, crypto erase"
            wipe["disks"].append({"serial": disk, "method": method, "result": "failed" if bad else "passed", "finished_at": due})
            self._store.put("wipe", f"{serial}/{name}", wipe)

    def _wiped(self, due: float, serial: str, name: str, op: str, error: str) -> None:
        wipe = self._store.known("wipe", f"{serial}/{name}")
        if wipe["reference"] != op or wipe["finished"]:
            return
        self._store.put("wipe", f"{serial}/{name}", {**wipe, "finished": True, "finished_at": due, "error": error})
        self._set_work(serial, name, "", "")
        failed = error or any(disk["result"] != "passed" for disk in wipe["disks"])
        if not name:
            self._store.put("machine", serial, {**self._store.known("machine", serial), "fault": "wipe failed" if failed else ""})

    def _set_work(self, serial: str, name: str, work: str, op: str) -> None:
        kind, key = ("gone", name) if name else ("machine", serial)
        doc = self._store.get(kind, key)
        if doc is not None:
            self._store.put(kind, key, {**doc, "work": work, "work_key": op})

    def _validated(self, due: float, serial: str, op: str) -> None:
        machine = self._store.known("machine", serial)
        if machine["work_key"] != op:
            return
        broken = self._faults.strike("validation_fails", verb="validate", serial=serial)
        fault = "health check failed" if broken else ("wipe failed" if machine["fault"] == "wipe failed" else "")
        self._store.put("machine", serial, {**machine, "work": "", "work_key": "", "validated": op, "fault": fault})

    def interrupt_claim(self, name: str, claim: dict, now: float) -> None:
        """What a restart does to a claim that was being prepared."""
        if claim["phase"] == "working":
            claim["phases"][-1].update(finished_at=now, failed=True)
            self._store.put("claim", name, {**claim, "phase": "failed", "error": "the engine restarted: cannot be resumed"})

    def interrupt_gone(self, name: str, gone: dict, now: float) -> None:
        if gone["work"] == "wiping":
            self._wiped(now, gone["serial"], name, gone["work_key"], "the engine restarted while wiping")

    def interrupt_machine(self, serial: str, machine: dict, now: float) -> None:
        if machine["work"] == "wiping":
            self._wiped(now, serial, "", machine["work_key"], "the engine restarted while wiping")
        elif machine["work"] == "validating":
            self._store.put("machine", serial, {**machine, "work": "", "work_key": "", "validated": machine["work_key"], "fault": "validation was interrupted"})
