"""What a page shows of a Server: cards of GPUs, the lines of its charts, and how old it all is. Figures only, no words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from monitoring.domain import samples, series
from monitoring.domain.samples import Instance, Sample, State
from monitoring.domain.wire import Packed

STALE_SECONDS = 3.0  # from then on a page says that its figures are old
GONE_SECONDS = 10.0  # from then on it shows none
COLOURS = 8
SILENT = "silent"  # the state of a GPU that ought to report and does not


@dataclass(frozen=True, slots=True)
class Expected:
    """A GPU that ought to report. `slices` are the placements of its instances that are the viewer's, when the whole is not. Memory in MiB,
    power (the most that it may draw) in watts."""

    uuid: str
    position: int
    model: str
    memory: int
    power: int
    slices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the charts. `colour` is one of eight, `dash` grows when they are used up; the same GPU has the same on every chart and card."""

    name: str
    label: str
    server: str
    colour: int
    dash: int


@dataclass(frozen=True, slots=True)
class Part:
    """One MIG instance on a card. Memory in MiB."""

    line: Line
    label: str
    profile: str
    utilisation: float | None
    memory_used: float | None
    memory_total: float | None


@dataclass(frozen=True, slots=True)
class Card:
    """One GPU. `shared`: only a slice of it is the viewer's, so that the board's own readings are not his to see."""

    line: Line
    model: str
    state: str
    sample: Sample
    memory_total: float
    power_top: float
    parts: tuple[Part, ...]
    shared: bool
    warnings: tuple[str, ...]

    @property
    def memory_percent(self) -> int | None:
        """Memory in use as a share of the card's total; None when either is not known."""
        used = self.sample.used
        return None if used is None or not self.memory_total else min(100, round(100 * used / self.memory_total))


@dataclass(frozen=True, slots=True)
class Face:
    """One Server as a page shows it. `age` in seconds since the last message, None when there is none."""

    serial: str
    cards: tuple[Card, ...]
    totals: samples.Totals
    source: str
    at: float | None
    age: float | None
    clock_off: float

    @property
    def is_stale(self) -> bool:
        return self.age is None or self.age > STALE_SECONDS

    @property
    def moment(self) -> datetime | None:
        """When the figures were read, by the Server's clock."""
        return None if self.at is None else datetime.fromtimestamp(self.at, UTC)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line of the charts: the boards first, then the instances."""
        return tuple(card.line for card in self.cards) + tuple(part.line for card in self.cards for part in card.parts)


def face(serial: str, expected: Sequence[Expected], newest: Packed | None, now: float, first_colour: int = 0) -> Face:
    """What to show of a Server at `now`. A GPU that does not report has a card without figures; figures that are too old are none; a GPU that reports but
    is not expected (a card was replaced) is shown behind the others."""
    age = None if newest is None else max(0.0, now - newest.received_at)
    there = {} if newest is None or age is None or age > GONE_SECONDS else {sample.gpu: sample for sample in newest.samples}
    wanted = _boards(expected)
    wanted += [Expected(gpu, -1, "", 0, 0) for gpu in there if gpu not in {one.uuid for one in wanted}]
    cards = tuple(_card(one, there.get(one.uuid), serial, first_colour + place) for place, one in enumerate(wanted))
    return Face(
        serial=serial,
        cards=cards,
        totals=samples.totals((card.sample for card in cards if card.line.name in there), len(wanted)),
        source=newest.source if newest else "",
        at=newest.at if newest else None,
        age=age,
        clock_off=newest.received_at - newest.at if newest else 0.0,
    )


def _boards(expected: Sequence[Expected]) -> list[Expected]:
    """One for each board, in order of position, with all slices of it that were named."""
    boards: dict[str, Expected] = {}
    for one in sorted(expected, key=lambda one: (one.position, one.slices)):
        known = boards.get(one.uuid)
        boards[one.uuid] = replace(known, slices=known.slices + one.slices) if known else one
    return list(boards.values())


def _card(one: Expected, sample: Sample | None, serial: str, place: int) -> Card:
    label = f"GPU {one.position}" if one.position >= 0 else one.uuid
    line = Line(one.uuid, label, serial, place % COLOURS, place // COLOURS)
    shown = sample or Sample(one.uuid)
    return Card(
        line=line,
        model=one.model,
        state=SILENT if sample is None else str(shown.state),
        sample=shown,
        memory_total=shown.memory_total or one.memory,
        power_top=shown.power_limit or one.power,
        parts=tuple(_part(line, part, place) for place, part in enumerate(_instances(one, shown), start=1)),
        shared=bool(one.slices),
        warnings=tuple(samples.throttle_warnings(shown.throttle)) if shown.state == State.OK else (),
    )


def _instances(one: Expected, shown: Sample) -> list[Instance]:
    """Those that report, and those that are the viewer's and do not."""
    silent = set(one.slices) - {part.start for part in shown.instances}
    return [*shown.instances, *(Instance(0, "", start) for start in sorted(silent))]


def _part(board: Line, one: Instance, place: int) -> Part:
    name = f"MIG {one.gi}" if one.gi else "MIG"
    line = Line(series.name(board.name, one.gi, one.start), f"{board.label} · {name}", board.server, board.colour, board.dash + place)
    return Part(line, name, one.profile, one.utilisation, one.memory_used, one.memory_total)
