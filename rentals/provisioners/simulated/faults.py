"""Seeded faults. A rule says what goes wrong, where, how often; its counters live in the store, so that a restart does not reset them.

A rule: {"kind", "verb": "*", "serial": "*", "times": 1, "after": 0, "probability": 1.0, ...arguments of the kind}

| kind | what happens | arguments |
|---|---|---|
| request_lost | the connection drops before anything was done | |
| reply_lost | it is done and kept, then the connection drops | |
| hang | silence, longer than a caller waits | seconds |
| busy | 409 | retry_after |
| error_html | 500 with a page of HTML | |
| garbage | 200 with a body that is no JSON | |
| unauthorized | 401 | |
| stale | observe repeats what it said last | |
| slow | effects take longer | factor |
| deploy_fails | a phase of the preparation fails | phase |
| attach_fails | no answer on SSH after the hand-over | |
| wipe_partial | one disk cannot be erased | disk |
| wipe_fails | the wipe breaks off | |
| wipe_hangs | the wipe never ends | |
| power_stuck | accepted, without effect | |
| detach_stuck | the network's acknowledgement never comes | |
| validation_fails | the health check finds something | |
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from rentals.provisioners.simulated.store import Store

BEFORE = ("request_lost", "hang", "busy", "error_html", "garbage", "unauthorized")
EFFECTS = (
    "slow", "deploy_fails", "attach_fails", "wipe_partial", "wipe_fails", "wipe_hangs", "power_stuck", "detach_stuck", "validation_fails",
)  # fmt: skip
KINDS = frozenset({*BEFORE, *EFFECTS, "reply_lost", "stale"})


def fraction(*words: object) -> float:
    """A number in [0, 1) that depends on nothing but `words`."""
    digest = hashlib.sha256("/".join(str(word) for word in words).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


class Faults:
    def __init__(self, store: Store, seed: int) -> None:
        self._store = store
        self._seed = seed

    def add(self, rule: dict) -> str:
        """Keep `rule`; its id. Raises ValueError for a kind that does not exist."""
        if rule.get("kind") not in KINDS:
            raise ValueError(f"no such fault: {rule.get('kind')}")
        number = len(self._store.every("fault")) + 1
        key = f"{number:06d}"
        self._store.put("fault", key, {"verb": "*", "serial": "*", "times": 1, "after": 0, "probability": 1.0, "seen": 0, "hit": 0, **rule})
        return key

    def load(self, scenario: str) -> None:
        """The rules of a scenario (a JSON list, or the path of a file with one), once for each text."""
        text = scenario if scenario.lstrip().startswith("[") else Path(scenario).read_text()
        mark = hashlib.sha256(text.encode()).hexdigest()
        if self._store.get("scenario", mark) is None:
            for rule in json.loads(text):
                self.add(rule)
            self._store.put("scenario", mark, {})

    def clear(self) -> None:
        for key, _ in self._store.every("fault"):
            self._store.drop("fault", key)

    def strike(self, kind: str, *, verb: str, serial: str) -> dict | None:
        """The rule of `kind` that hits this request or effect now, if any; counts it."""
        for key, rule in self._store.every("fault"):
            if rule["kind"] != kind or rule["verb"] not in ("*", verb) or rule["serial"] not in ("*", serial):
                continue
            rule["seen"] += 1
            due = rule["seen"] > rule["after"] and rule["hit"] < rule["times"]
            hits = due and fraction(self._seed, key, rule["seen"]) < rule["probability"]
            rule["hit"] += hits
            self._store.put("fault", key, rule)
            if hits:
                return rule
        return None
