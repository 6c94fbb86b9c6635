"""Readings of GPUs: their shape, what counts as a reading, and what is refused.

One unit for each measure: percent, MiB, watts, degrees Celsius, MHz. A missing reading is None from here to the screen: never 0, never the last value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MOST_GPUS, MOST_INSTANCES, MOST_EVENTS = 16, 7, 32
FUTURE_SECONDS, PAST_SECONDS = 30, 600
EVENT_SECONDS = 86_400  # how long a fault may have waited for its way to the portal
INTERVAL = 1.0  # seconds between two Batches of one agent
GAP = 2.5  # a line is never drawn across more intervals than this
MIB = 1 << 20


class State(StrEnum):
    """What the driver says of a GPU as a whole."""

    OK = "ok"
    ERROR = "error"  # its handle answers with errors, or not in time
    LOST = "lost"  # fallen off the bus
    NEEDS_RESET = "needs_reset"


class Refused(ValueError):
    """A Batch that cannot be taken. `field` names what is at fault, the message says why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field, self.reason = field, reason


@dataclass(frozen=True, slots=True)
class Instance:
    """One MIG instance of a board. `start` and `size` are its placement in memory slices (8 to a board), by which rentals knows it."""

    gi: int
    profile: str
    start: int | None = None
    size: int | None = None
    utilisation: float | None = None  # percent of the instance's engines active
    memory_used: float | None = None
    memory_total: float | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One GPU's readings at one instant. Identity is the UUID; an index is none (it changes with reboot, driver and environment).

    `memory_activity` is bandwidth activity in percent, another gauge than memory in use. A board under MIG has no utilisation of its own.
    """

    gpu: str
    state: State = State.OK
    utilisation: float | None = None
    memory_activity: float | None = None
    memory_used: float | None = None
    memory_reserved: float | None = None
    memory_total: float | None = None
    power: float | None = None
    power_limit: float | None = None
    temperature: float | None = None
    clock: float | None = None
    throttle: int | None = None
    mig: bool = False
    instances: tuple[Instance, ...] = ()

    @property
    def used(self) -> float | None:
        """Memory in use, counted once: what the board says, else the sum of what its instances say."""
        if self.memory_used is not None or not self.instances:
            return self.memory_used
        return total(instance.memory_used for instance in self.instances)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a GPU once: an XID (`xid-79`) or an uncorrected memory error (`ecc`)."""

    gpu: str
    code: str
    at: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one agent sends at once. `boot` names one run of the agent, `seq` counts within it, `at` is the agent's clock (seconds since 1970)."""

    server: str
    source: str
    boot: str
    seq: int
    at: float
    samples: tuple[Sample, ...]
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """Where the stream of one Server stands: the last Batch that was taken."""

    boot: str
    seq: int
    at: float


def follows(last: Position | None, batch: Batch) -> bool:
    """Whether `batch` is new: within one run by its number, and always later. A repeat, a latecomer or a clock that went back is not."""
    if last is None:
        return True
    return batch.at > last.at and (batch.boot != last.boot or batch.seq > last.seq)


def check_clock(at: float, received_at: float) -> None:
    """Raise Refused when the agent's clock is more than 30 s ahead of ours, or the Batch is too old to be shown."""
    if at > received_at + FUTURE_SECONDS:
        raise Refused("at", f"{at - received_at:.0f} s ahead of the portal's clock; at most {FUTURE_SECONDS} s are taken")
    if at < received_at - PAST_SECONDS:
        raise Refused("at", f"{received_at - at:.0f} s behind the portal's clock; at most {PAST_SECONDS} s are taken")


# What NVML and DCGM write where they have no reading.
_BLANK_INT64 = range(0x7FFFFFFFFFFFFFF0, 0x7FFFFFFFFFFFFFF4)
_BLANK_INT32 = range(0x7FFFFFF0, 0x7FFFFFF4)
_BLANK_FP64 = 140737488355328.0
_ALL_ONES_64 = 2**64 - 1
_ALL_ONES_32 = 2**32 - 1


def is_blank(value: float) -> bool:
    """Whether a number stands for "no reading": the blanks of NVML and DCGM, not-a-number, an infinity."""
    if isinstance(value, int):
        return value in _BLANK_INT64 or value in _BLANK_INT32 or value in (_ALL_ONES_32, _ALL_ONES_64)
    if not math.isfinite(value):
        return True
    # A blank that went through a double has lost its last bits.
    return _BLANK_FP64 <= value <= _BLANK_FP64 + 3 or value >= 2.0**63 - 2048 or value in _BLANK_INT32 or value == _ALL_ONES_32


def reading(value: float | None, *, least: float = 0.0, most: float) -> float | None:
    """`value` if it can be a reading between `least` and `most`, else None."""
    if value is None or is_blank(value) or not least <= value <= most:
        return None
    return value


def percent(value: float | None) -> float | None:
    return reading(value, most=100)


def mebibytes(value: float | None) -> float | None:
    """Up to 16 TiB."""
    return reading(value, most=1 << 24)


def watts(value: float | None) -> float | None:
    return reading(value, most=20_000)


def celsius(value: float | None) -> float | None:
    return reading(value, least=-60, most=250)


def megahertz(value: float | None) -> float | None:
    return reading(value, most=20_000)


def total(values: Iterable[float | None]) -> float | None:
    """The sum of the readings that are there; None when there is none."""
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the readings that are there; None when there is none. A missing one does not count as 0."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


@dataclass(frozen=True, slots=True)
class Totals:
    """One Server at one instant. Board power and memory count once, however many instances repeat them."""

    expected: int
    reporting: int
    utilisation: float | None
    memory_used: float | None
    memory_total: float | None
    power: float | None


def totals(samples: Iterable[Sample], expected: int) -> Totals:
    """What the Server does as a whole, out of the readings that are there."""
    samples = list(samples)
    return Totals(
        expected=expected,
        reporting=sum(sample.state == State.OK for sample in samples),
        utilisation=mean(sample.utilisation for sample in samples),
        memory_used=total(sample.used for sample in samples),
        memory_total=total(sample.memory_total for sample in samples),
        power=total(sample.power for sample in samples),
    )


# Bits of the clock throttle (event) reasons. Idle and the software power cap are normal; these four are worth a word.
THROTTLE_WARNINGS = {0x8: "hardware slowdown", 0x20: "software thermal", 0x40: "hardware thermal", 0x80: "power brake"}


def throttle_warnings(bits: int | None) -> list[str]:
    """The reasons in `bits` that mean trouble."""
    return [name for bit, name in THROTTLE_WARNINGS.items() if bits is not None and bits & bit]
