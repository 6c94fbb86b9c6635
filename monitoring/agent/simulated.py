"""A node that does not exist: boards that behave like boards. Seeded, so that the same seed and times give the same readings; every Batch says `simulated`.

Utilisation moves through the phases of a workload, memory fills when it starts, power follows utilisation within seconds, temperature follows power within
a minute, and now and then a reading is missing, as on real nodes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitoring.domain import faults
from monitoring.domain.readings import Reading
from monitoring.domain.samples import Event, Instance, Sample, State

AMBIENT = 27.0
POWER_LAG, HEAT_LAG = 3.0, 45.0  # seconds
IDLE_SHARE = 0.14  # of the board's power limit
MISSING_ONCE_IN, MISSING_SECONDS = 400, (3, 9)
LOST_AFTER, LOST_FOR, LOST_EVERY = 90, 60, 600  # seconds of the lost-gpu scenario


@dataclass(frozen=True, slots=True)
class Slot:
    """A MIG instance as it is cut."""

    gi: int
    profile: str
    start: int
    size: int
    memory_mib: int


@dataclass(frozen=True, slots=True)
class Board:
    uuid: str
    model: str
    memory_mib: int
    tdp: int
    mig: tuple[Slot, ...] = ()

    @classmethod
    def read(cls, entry: Mapping) -> Board:
        """A board out of the fleet file."""
        slots = tuple(Slot(**slot) for slot in entry.get("mig") or ())
        return cls(entry["uuid"], entry["model"], int(entry["memory_mib"]), int(entry["tdp"]), slots)


@dataclass(frozen=True, slots=True)
class Phase:
    """Utilisation in percent around which a workload moves, its unrest, its length in seconds, and the share of memory that it holds."""

    utilisation: float
    unrest: float
    seconds: tuple[int, int]
    memory: float


WORKLOADS: dict[str, tuple[Phase, ...]] = {
    "training": (
        Phase(4, 2, (8, 20), 0.15), Phase(96, 2.5, (120, 300), 0.86), Phase(38, 12, (6, 14), 0.86), Phase(95, 3, (120, 300), 0.88), Phase(9, 5, (4, 10), 0.88),
    ),
    "serving": (Phase(34, 14, (20, 60), 0.72), Phase(71, 12, (20, 50), 0.74), Phase(18, 10, (15, 40), 0.72)),
    "idle": (Phase(0, 0, (600, 900), 0.01),),
}  # fmt: skip


class _Unrest:
    """Noise that has a memory of a few seconds, as a load has."""

    def __init__(self, draw: random.Random) -> None:
        self._draw, self._now = draw, 0.0

    def around(self, level: float, unrest: float) -> float:
        """A percentage near `level`."""
        self._now = 0.75 * self._now + self._draw.gauss(0, 0.66 * unrest)
        return min(100.0, max(0.0, level + self._now))


class _Load:
    """A workload in its present phase."""

    def __init__(self, draw: random.Random, phases: Sequence[Phase]) -> None:
        self._draw, self._phases, self._at = draw, phases, draw.randrange(len(phases))
        self._until = -math.inf
        self.unrest = _Unrest(draw)

    def move(self, at: float) -> Phase:
        if at >= self._until:
            begun = self._until != -math.inf
            self._at = (self._at + begun) % len(self._phases)
            self._until = at + self._draw.uniform(*self._phases[self._at].seconds)
        return self._phases[self._at]


class _Card:
    """The inertia of one board."""

    def __init__(self, draw: random.Random, board: Board) -> None:
        self._draw, self.board = draw, board
        self._bias, self._unrest = draw.uniform(-2, 2), _Unrest(draw)
        self._power = board.tdp * IDLE_SHARE
        self._temperature = AMBIENT + 6 + draw.uniform(-2, 4)
        self._held = 0.0
        self._missing, self._missing_until = "power", -math.inf

    def follow(self, phase: Phase, at: float, passed: float) -> Sample:
        """The readings after `passed` seconds in `phase`."""
        board, draw = self.board, self._draw
        utilisation = self._unrest.around(phase.utilisation + self._bias * (phase.unrest > 0), phase.unrest)
        share = IDLE_SHARE + (0.97 - IDLE_SHARE) * (utilisation / 100) ** 0.8
        self._power += (board.tdp * share - self._power) * (1 - math.exp(-passed / POWER_LAG))
        target = AMBIENT + 46 * self._power / board.tdp
        self._temperature += (target - self._temperature) * (1 - math.exp(-passed / HEAT_LAG))
        self._held += (phase.memory - self._held) * (1 - math.exp(-passed / 4))
        sample = Sample(
            gpu=board.uuid,
            utilisation=round(utilisation),
            memory_activity=round(utilisation * 0.52),
            memory_used=round(board.memory_mib * self._held),
            memory_reserved=600,
            memory_total=board.memory_mib,
            power=round(self._power + draw.gauss(0, 0.6), 1),
            power_limit=board.tdp,
            temperature=round(self._temperature),
            clock=1410 if utilisation > 1 else 345,
            throttle=0x4 if self._power > 0.94 * board.tdp else 0x1 if utilisation < 1 else 0x0,
        )
        return self._with_holes(sample, at)

    def _with_holes(self, sample: Sample, at: float) -> Sample:
        if self._draw.random() < 1 / MISSING_ONCE_IN:
            self._missing = self._draw.choice(["utilisation", "power", "temperature"])
            self._missing_until = at + self._draw.uniform(*MISSING_SECONDS)
        if at >= self._missing_until:
            return sample
        hole: dict[str, Any] = {self._missing: None}
        return replace(sample, **hole)

    def instances(self, loads: Sequence[_Load], at: float) -> tuple[Instance, ...]:
        found = []
        for slot, load in zip(self.board.mig, loads, strict=True):
            phase = load.move(at)
            active = load.unrest.around(phase.utilisation, phase.unrest)
            memory = round(slot.memory_mib * phase.memory * self._draw.uniform(0.98, 1))
            found.append(Instance(slot.gi, slot.profile, slot.start, slot.size, round(active, 1), memory, slot.memory_mib))
        return tuple(found)


class Simulated:
    """A whole node. `workload` is one of WORKLOADS ("" draws one); `scenario` "lost-gpu" lets its last board fall off the bus for a minute in every ten."""

    name = "simulated"

    def __init__(self, *, seed: str, boards: Sequence[Board], workload: str = "", scenario: str = "") -> None:
        draw = random.Random(seed)  # noqa: S311 - a simulation
        chosen = WORKLOADS[workload or draw.choice(["training", "training", "serving"])]
        self._load = _Load(draw, chosen)  # the boards of one job move together
        self._cards = [_Card(random.Random(f"{seed}/{board.uuid}"), board) for board in boards]  # noqa: S311
        serving = WORKLOADS["serving"]
        self._slices = {board.uuid: [_Load(random.Random(f"{board.uuid}/{slot.gi}"), serving) for slot in board.mig] for board in boards}  # noqa: S311
        self._scenario, self._was_lost = scenario, False
        self._begun: float | None = None
        self._last: float | None = None

    def read(self, *, at: float) -> Reading:
        self._begun = at if self._begun is None else self._begun
        passed = 1.0 if self._last is None else max(0.0, at - self._last)
        self._last = at
        phase = self._load.move(at)
        reading = Reading(samples=[self._sample(card, phase, at, passed) for card in self._cards])
        if self._scenario == "lost-gpu":
            self._lose(reading, at - self._begun, at)
        return reading

    def _sample(self, card: _Card, phase: Phase, at: float, passed: float) -> Sample:
        sample = card.follow(phase, at, passed)
        if not card.board.mig:
            return sample
        instances = card.instances(self._slices[card.board.uuid], at)
        return replace(sample, utilisation=None, memory_activity=None, memory_used=None, mig=True, instances=instances)

    def _lose(self, reading: Reading, elapsed: float, at: float) -> None:
        lost = LOST_AFTER <= elapsed % LOST_EVERY < LOST_AFTER + LOST_FOR
        if lost:
            gpu = reading.samples[-1].gpu
            reading.samples[-1] = Sample(gpu, State.LOST)
            if not self._was_lost:
                reading.events.append(Event(gpu, faults.xid_code(79), at, "simulated: GPU has fallen off the bus"))
        self._was_lost = lost

    def close(self) -> None:
        """There is nothing to let go of."""
