"""A minute of readings in a few numbers: minimum, average, maximum over what was there. A missing reading counts nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from monitoring.domain import series

SECONDS = 60
GRACE = 5  # seconds after its end in which a minute may still fill


class Spread:
    """Least, mean and greatest of the readings added to it."""

    __slots__ = ("count", "least", "most", "sum")

    def __init__(self) -> None:
        self.count, self.sum = 0, 0.0
        self.least: float | None = None
        self.most: float | None = None

    def add(self, value: float | None) -> None:
        if value is None:
            return
        self.count, self.sum = self.count + 1, self.sum + value
        self.least = value if self.least is None else min(self.least, value)
        self.most = value if self.most is None else max(self.most, value)

    @property
    def mean(self) -> float | None:
        return self.sum / self.count if self.count else None


@dataclass(slots=True)
class Minute:
    """One series' minute. `start` is in seconds since 1970, `samples` the number of instants with any reading."""

    series: str
    start: int
    samples: int = 0
    utilisation: Spread = field(default_factory=Spread)
    memory_used: Spread = field(default_factory=Spread)
    power: Spread = field(default_factory=Spread)
    temperature: Spread = field(default_factory=Spread)

    def add(self, utilisation: float | None, memory_used: float | None, power: float | None, temperature: float | None) -> None:
        self.samples += any(value is not None for value in (utilisation, memory_used, power, temperature))
        self.utilisation.add(utilisation)
        self.memory_used.add(memory_used)
        self.power.add(power)
        self.temperature.add(temperature)


def minute_of(at: float) -> int:
    """The start of the minute in which `at` lies."""
    return int(at // SECONDS) * SECONDS


def is_closed(start: int, now: float) -> bool:
    """Whether no more is to be expected for the minute from `start`."""
    return start + SECONDS + GRACE <= now


def roll_up(moments: Iterable[tuple[float, Iterable[Sequence[Any]]]]) -> list[Minute]:
    """The minutes of one Server's messages (time and rows), in order of series and time. Each (series, time) counts once, whatever is repeated."""
    minutes: dict[tuple[str, int], Minute] = {}
    seen: set[float] = set()
    for at, rows in moments:
        if at in seen:
            continue
        seen.add(at)
        start = minute_of(at)
        for name, values in series.readings(rows).items():
            minutes.setdefault((name, start), Minute(name, start)).add(*values)
    return [minutes[key] for key in sorted(minutes)]
