"""How a Batch travels: one JSON document from the agent, one packed array to the pages. Rows are arrays in a fixed order, which is a third of the bytes.

The agent writes `to_wire`, the ingest route reads `from_wire`. What is wrong in form (a text where a number belongs, too many boards) is refused by the
name of the field; what is right in form but no reading (a blank, 150 percent) becomes None, and the rest of the Batch stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from monitoring.domain import samples
from monitoring.domain.samples import Batch, Event, Instance, Refused, Sample, State

VERSION = 1
STATES = {str(state): state for state in State}
COLUMNS = (
    "gpu", "state", "utilisation", "memory_activity", "memory_used", "memory_reserved", "memory_total", "power", "power_limit", "temperature", "clock",
    "throttle", "mig", "instances",
)  # fmt: skip
INSTANCE_COLUMNS = ("gi", "profile", "start", "size", "utilisation", "memory_used", "memory_total")
READERS: dict[str, Callable[[float | None], float | None]] = {
    "utilisation": samples.percent,
    "memory_activity": samples.percent,
    "memory_used": samples.mebibytes,
    "memory_reserved": samples.mebibytes,
    "memory_total": samples.mebibytes,
    "power": samples.watts,
    "power_limit": samples.watts,
    "temperature": samples.celsius,
    "clock": samples.megahertz,
}
FIRST_READING, THROTTLE = 2, 11


@dataclass(frozen=True, slots=True)
class Packed:
    """One Server's message to the pages. `rows` are arrays in the order of COLUMNS."""

    server: str
    at: float
    received_at: float
    source: str
    rows: list[list[object]]

    @property
    def samples(self) -> tuple[Sample, ...]:
        return tuple(sample(row) for row in self.rows)


def to_wire(batch: Batch) -> dict[str, object]:
    """The JSON document of `batch`."""
    return {
        "v": VERSION,
        "server": batch.server,
        "source": batch.source,
        "boot": batch.boot,
        "seq": batch.seq,
        "at": round(batch.at, 3),
        "gpus": rows(batch.samples),
        "events": [list(astuple(event)) for event in batch.events],
    }


def rows(readings: tuple[Sample, ...]) -> list[list[object]]:
    """Samples as arrays in the order of COLUMNS."""
    return [_row(sample) for sample in readings]


def _row(one: Sample) -> list[object]:
    return [
        one.gpu, str(one.state), one.utilisation, one.memory_activity, one.memory_used, one.memory_reserved, one.memory_total, one.power, one.power_limit,
        one.temperature, one.clock, one.throttle, int(one.mig),
        [[part.gi, part.profile, part.start, part.size, part.utilisation, part.memory_used, part.memory_total] for part in one.instances],
    ]  # fmt: skip


def from_wire(document: object, received_at: float) -> Batch:
    """The Batch in `document`; raises Refused with the name of the first field at fault."""
    if not isinstance(document, dict):
        raise Refused("body", "must be an object")
    if document.get("v") != VERSION:
        raise Refused("v", f"must be {VERSION}")
    at = _number(document.get("at"), "at")
    samples.check_clock(at, received_at)
    return Batch(
        server=_text(document.get("server"), "server", 60),
        source=_text(document.get("source"), "source", 20),
        boot=_text(document.get("boot"), "boot", 80),
        seq=_whole(document.get("seq"), "seq"),
        at=at,
        samples=_distinct(tuple(sample(row, f"gpus[{place}]") for place, row in enumerate(_list(document.get("gpus"), "gpus", samples.MOST_GPUS)))),
        events=tuple(
            _event(row, f"events[{place}]", received_at) for place, row in enumerate(_list(document.get("events", []), "events", samples.MOST_EVENTS))
        ),
    )


def _distinct(read: tuple[Sample, ...]) -> tuple[Sample, ...]:
    """Each (GPU, time) once, also within one Batch."""
    if len({sample.gpu for sample in read}) != len(read):
        raise Refused("gpus", "names one GPU twice")
    return read


def sample(row: object, place: str = "row") -> Sample:
    """The Sample in one array; raises Refused with `place` and the column's name."""
    if not isinstance(row, list) or len(row) != len(COLUMNS):
        raise Refused(place, f"must be an array of {len(COLUMNS)}")
    state = STATES.get(row[1]) if isinstance(row[1], str) else None
    if state is None:
        raise Refused(f"{place}.state", f"must be one of {', '.join(STATES)}")
    readings = {name: reader(_maybe(row[column], place, name)) for column, (name, reader) in enumerate(READERS.items(), FIRST_READING)}
    instances = tuple(_instance(one, f"{place}.instances[{i}]") for i, one in enumerate(_list(row[13], f"{place}.instances", samples.MOST_INSTANCES)))
    bits = _maybe(row[THROTTLE], place, "throttle")
    throttle = None if bits is None or samples.is_blank(bits) or not 0 <= bits < 1 << 63 else int(bits)
    return Sample(gpu=_text(row[0], f"{place}.gpu", 60), state=state, throttle=throttle, mig=bool(row[12]), instances=instances, **readings)


def _instance(row: object, place: str) -> Instance:
    if not isinstance(row, list) or len(row) != len(INSTANCE_COLUMNS):
        raise Refused(place, f"must be an array of {len(INSTANCE_COLUMNS)}")
    start, size = (_maybe(row[i], place, INSTANCE_COLUMNS[i]) for i in (2, 3))
    return Instance(
        gi=_whole(row[0], f"{place}.gi"),
        profile=_text(row[1], f"{place}.profile", 30, least=0),
        start=None if start is None or not 0 <= start < 8 else int(start),
        size=None if size is None or not 1 <= size <= 8 else int(size),
        utilisation=samples.percent(_maybe(row[4], place, "utilisation")),
        memory_used=samples.mebibytes(_maybe(row[5], place, "memory_used")),
        memory_total=samples.mebibytes(_maybe(row[6], place, "memory_total")),
    )


def _event(row: object, place: str, received_at: float) -> Event:
    if not isinstance(row, list) or len(row) != 4:
        raise Refused(place, "must be an array of 4")
    at = _number(row[2], f"{place}.at")
    if not received_at - samples.EVENT_SECONDS <= at <= received_at + samples.FUTURE_SECONDS:
        raise Refused(f"{place}.at", "must lie within the last day")
    return Event(_text(row[0], f"{place}.gpu", 60), _text(row[1], f"{place}.code", 20), at, _text(row[3], f"{place}.text", 300, least=0))


def _text(value: object, field: str, most: int, *, least: int = 1) -> str:
    if not isinstance(value, str) or not least <= len(value) <= most or not value.isprintable():
        raise Refused(field, f"must be a printable text of {least} to {most} characters")
    return value


def _number(value: object, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or samples.is_blank(value):
        raise Refused(field, "must be a number")
    return value


def _whole(value: object, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise Refused(field, "must be a whole number from 0")
    return value


def _maybe(value: object, place: str, column: str) -> float | None:
    if value is None or isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise Refused(f"{place}.{column}", "must be a number or null")


def _list(value: object, field: str, most: int) -> list[object]:
    if not isinstance(value, list) or len(value) > most:
        raise Refused(field, f"must be an array of at most {most}")
    return value


def pack(batch: Batch, received_at: float) -> list[object]:
    """What the pages of a Server get: [server, at, received_at, source, rows]."""
    return [batch.server, round(batch.at, 3), round(received_at, 3), batch.source, rows(batch.samples)]


def unpack(message: Sequence[Any]) -> Packed:
    """A message of `pack`, read back. The message is our own: what is wrong with it is a fault of ours and raises."""
    return Packed(*message)
