"""What reading a whole node gave, and the words with which the driver's tools say that there is no reading."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from monitoring.domain.samples import Event, Sample, State

LOST, NEEDS_RESET = "GPU is lost", "GPU requires reset"
ERRORS = {"Unknown Error", "ERR!"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=\s|%|$)")
# Text to MiB, by the unit written in the cell.
UNITS = {"GiB": 1024.0, "GB": 1e9 / (1 << 20), "MB": 1e6 / (1 << 20), "KiB": 1 / 1024}


@dataclass
class Reading:
    """Everything one look at a node found. `without_name` counts GPUs that were seen but could not say who they are, `unparsed` the lines that made no
    sense; neither costs the others anything."""

    samples: list[Sample] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    without_name: int = 0
    unparsed: int = 0
    warnings: list[str] = field(default_factory=list)


def bare(cell: str | None) -> str:
    """The text of a cell without its brackets."""
    return (cell or "").strip().removeprefix("[").removesuffix("]")


def number(cell: str | None) -> float | None:
    """The number at the start of a cell such as `575 MiB`, `3 %`, `61.23 W`; None for N/A and every other word. Memory comes out in MiB."""
    text = bare(cell)
    match = NUMBER.match(text)
    if not match:
        return None
    return float(match[0]) * UNITS.get(text[match.end() :].strip(), 1.0)


def bits(cell: str | None) -> int | None:
    """A bit mask written in hexadecimal."""
    text = bare(cell)
    return int(text, 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text) else None


def state_of(cells: list[str]) -> State:
    """What the cells of one GPU say of it as a whole. One cell that failed is no failed GPU: only utilisation, memory and power together are."""
    words = {bare(cell) for cell in cells}
    if LOST in words:
        return State.LOST
    if NEEDS_RESET in words:
        return State.NEEDS_RESET
    return State.ERROR if words and words <= ERRORS else State.OK
