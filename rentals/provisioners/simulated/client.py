"""The adapter for the simulated engine. Every failure of the wire becomes Unknown; nothing is retried here."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Any

import httpx

from rentals.provisioners import base

TIMEOUT = httpx.Timeout(connect=2.0, read=5.0, write=5.0, pool=5.0)


class Simulated:
    """Talks to one simulated engine at `address`."""

    def __init__(self, address: str, *, timeout: httpx.Timeout = TIMEOUT, transport: httpx.BaseTransport | None = None) -> None:
        self._http = httpx.Client(base_url=address, timeout=timeout, transport=transport, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))

    def capabilities(self) -> base.Capabilities | base.Unknown:
        said = self._read("GET", "/v1/capabilities")
        if isinstance(said, base.Unknown):
            return said
        return base.Capabilities(name=said["name"], is_simulated=True, partitions=True, evidence=True, verbs=frozenset(said["verbs"]))

    def inventory(self, cursor: str = "") -> base.InventoryPage | base.Unknown:
        said = self._read("GET", "/v1/claims", params={"cursor": cursor})
        if isinstance(said, base.Unknown):
            return said
        claims = tuple(base.Held(claim["name"], claim["serial"], claim["phase"]) for claim in said["claims"] if claim["name"].startswith(base.CLAIM_PREFIX))
        return base.InventoryPage(claims, said["next"])

    def prepare(self, op: base.Op, machine: base.Machine, claim: base.Claim) -> base.Answer:
        return self._ask("prepare", op, machine, claim=dataclasses.asdict(claim))

    def hand_over(self, op: base.Op, machine: base.Machine, name: str) -> base.Answer:
        return self._ask("hand_over", op, machine, name=name)

    def power(self, op: base.Op, machine: base.Machine, action: str, name: str = "") -> base.Answer:
        return self._ask("power", op, machine, action=action, name=name)

    def take_back(self, op: base.Op, machine: base.Machine, name: str) -> base.Answer:
        return self._ask("take_back", op, machine, name=name)

    def wipe(self, op: base.Op, machine: base.Machine, name: str = "") -> base.Answer:
        return self._ask("wipe", op, machine, name=name)

    def validate(self, op: base.Op, machine: base.Machine) -> base.Answer:
        return self._ask("validate", op, machine)

    def quarantine(self, op: base.Op, machine: base.Machine, reason: str) -> base.Answer:
        return self._ask("quarantine", op, machine, reason=reason)

    def return_to_service(self, op: base.Op, machine: base.Machine) -> base.Answer:
        return self._ask("return_to_service", op, machine)

    def cancel(self, op: base.Op, machine: base.Machine, name: str) -> base.Answer:
        return self._ask("cancel", op, machine, name=name)

    def observe(self, machine: base.Machine, name: str = "", slots: tuple[int, int] | None = None) -> base.Observation | base.Unknown:
        said = self._read("POST", f"/v1/machines/{machine.serial}/observe", json={"machine": dataclasses.asdict(machine), "name": name, "slots": slots})
        if isinstance(said, base.Unknown):
            return said
        try:
            return _observation(said)
        except (KeyError, TypeError, ValueError) as error:
            return base.Unknown(f"cannot be read: {type(error).__name__}")

    def wipe_evidence(self, machine: base.Machine, name: str = "") -> base.WipeReport | base.Unknown | None:
        said = self._read("POST", f"/v1/machines/{machine.serial}/wipe_evidence", json={"machine": dataclasses.asdict(machine), "name": name})
        if isinstance(said, base.Unknown):
            return said
        try:
            return _report(said["wipe"])
        except (KeyError, TypeError, ValueError) as error:
            return base.Unknown(f"cannot be read: {type(error).__name__}")

    def _ask(self, verb: str, op: base.Op, machine: base.Machine, **body: object) -> base.Answer:
        said = self._exchange("POST", f"/v1/machines/{machine.serial}/{verb}", json={"op": op.key, "machine": dataclasses.asdict(machine), **body})
        if isinstance(said, base.Unknown):
            return said
        answer, words = said.get("answer"), str(said.get("reason", ""))
        if answer == "accepted":
            return base.Accepted(str(said.get("ref", "")))
        if answer == "already_done":
            return base.AlreadyDone(str(said.get("ref", "")))
        if answer == "busy":
            return base.Busy(float(said.get("retry_after", 1)))
        return base.Rejected(words) if answer == "rejected" else base.Unknown(f"unreadable answer {answer!r}")

    def _read(self, method: str, path: str, **request: Any) -> dict | base.Unknown:
        """Like `_exchange`; a refused read tells nothing either."""
        said = self._exchange(method, path, **request)
        return base.Unknown(str(said.get("reason", said))) if isinstance(said, dict) and "answer" in said else said

    def _exchange(self, method: str, path: str, **request: Any) -> dict | base.Unknown:
        try:
            response = self._http.request(method, path, **request)
            if response.status_code >= 500 or response.status_code in (401, 403):
                return base.Unknown(f"HTTP {response.status_code}")
            said = response.json()
        except httpx.HTTPError as error:
            return base.Unknown(type(error).__name__)
        except ValueError:
            return base.Unknown("a body that cannot be read")
        return said if isinstance(said, dict) else base.Unknown("a body that cannot be read")


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _observation(said: dict) -> base.Observation:
    if not said["present"]:
        return base.Observation(observed_at=datetime.fromisoformat(said["observed_at"]), present=False)
    access = said["access"]
    return base.Observation(
        observed_at=datetime.fromisoformat(said["observed_at"]),
        engine_word=said["engine_word"],
        power=said["power"],
        network=said["network"],
        pool=said["pool"],
        phase=said["phase"],
        phases=tuple(
            base.Phase(phase["name"], datetime.fromisoformat(phase["started_at"]), _moment(phase["finished_at"]), phase["failed"]) for phase in said["phases"]
        ),
        others=tuple(said["others"]),
        work=said["work"],
        validated=said["validated"],
        fault=said["fault"],
        gpus=tuple(said["gpus"]),
        disks=tuple(said["disks"]),
        access=None if access is None else base.Access(access["host"], access["port"], access["login"], access["simulated"]),
        error=said["error"],
    )


def _report(said: dict | None) -> base.WipeReport | None:
    if said is None:
        return None
    return base.WipeReport(
        reference=said["reference"],
        finished=said["finished"],
        disks=tuple(base.DiskWipe(disk["serial"], disk["method"], disk["result"], _moment(disk["finished_at"])) for disk in said["disks"]),
        expected=tuple(said["expected"]),
        error=said["error"],
        finished_at=_moment(said["finished_at"]),
    )
