"""The text of dcgm-exporter. Its template does not escape label values, so a quote in one gives a line that is no exposition text: that line is dropped and
counted, the scrape stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from monitoring.domain import faults, samples
from monitoring.domain.readings import Reading
from monitoring.domain.samples import Event, Instance, Sample

LINE = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s+([^\s{}]+)(?:\s+-?\d+)?\s*")
LABEL = re.compile(r"""\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\\n]|\\.)*)"\s*(,|$)""")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", '"': '"', "\\": "\\"}

GPU_UTILISATION, ENGINE_ACTIVE = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
MEMORY_ACTIVITY, USED, FREE, RESERVED = "DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_RESERVED"
POWER, TEMPERATURE, CLOCK = "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK"
XID = "DCGM_FI_DEV_XID_ERRORS"


@dataclass
class _Board:
    """The metrics of one UUID. What the exporter repeats for each instance of a board lands on one key, so that it counts once."""

    metrics: dict[str, float] = field(default_factory=dict)
    instances: dict[int, dict[str, float]] = field(default_factory=dict)
    profiles: dict[int, str] = field(default_factory=dict)


def parse_line(line: str) -> tuple[str, dict[str, str], float] | None:
    """Name, labels and value of a line; None for one that is no exposition text."""
    match = LINE.fullmatch(line)
    labels = _labels(match[2] or "") if match else None
    if match is None or labels is None:
        return None
    try:
        return match[1], labels, _value(match[3])
    except ValueError:
        return None


def _value(text: str) -> float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)  # a blank int64 must not lose its last bits in a double


def _labels(text: str) -> dict[str, str] | None:
    labels, place = {}, 0
    while place < len(text.rstrip()):
        match = LABEL.match(text, place)
        if not match:
            return None
        labels[match[1]] = ESCAPE.sub(lambda found: ESCAPED.get(found[1], found[0]), match[2])
        place = match.end()
    return labels


def read(text: str, at: float, edges: faults.Edges) -> Reading:
    """The GPUs of one scrape. `edges` remembers the last-XID gauges between scrapes: only a rise is an event."""
    reading, boards = Reading(), dict[str, _Board]()
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            parsed = parse_line(line)
            if parsed is None:
                reading.unparsed += 1
            else:
                _sort_in(boards, *parsed)
    for uuid, board in boards.items():
        reading.samples.append(_sample(uuid, board))
        xid = samples.reading(board.metrics.get(XID), most=10_000)
        if edges.rises(uuid, None if xid is None else int(xid)):
            reading.events.append(Event(uuid, faults.xid_code(int(xid or 0)), at))
    return reading


def _sort_in(boards: dict[str, _Board], name: str, labels: dict[str, str], value: float) -> None:
    uuid = labels.get("UUID", labels.get("uuid", ""))
    if not uuid:
        return
    board = boards.setdefault(uuid, _Board())
    instance = labels.get("GPU_I_ID", "")
    if instance.isdecimal():
        board.profiles[int(instance)] = labels.get("GPU_I_PROFILE", "")
        board.instances.setdefault(int(instance), {})[name] = value
    else:
        board.metrics[name] = value


def _sample(uuid: str, board: _Board) -> Sample:
    of_board = {**next(iter(board.instances.values()), {}), **board.metrics}  # power, temperature and clocks are the board's, repeated for each instance
    used, free, reserved = (samples.mebibytes(board.metrics.get(name)) for name in (USED, FREE, RESERVED))
    return Sample(
        gpu=uuid,
        utilisation=samples.percent(board.metrics.get(GPU_UTILISATION)),
        memory_activity=samples.percent(board.metrics.get(MEMORY_ACTIVITY)),
        memory_used=used,
        memory_reserved=reserved,
        memory_total=None if used is None or free is None else used + free + (reserved or 0),
        power=samples.watts(of_board.get(POWER)),
        temperature=samples.celsius(of_board.get(TEMPERATURE)),
        clock=samples.megahertz(of_board.get(CLOCK)),
        mig=bool(board.instances),
        instances=tuple(_instance(gi, board.profiles[gi], metrics) for gi, metrics in sorted(board.instances.items())),
    )


def _instance(gi: int, profile: str, metrics: dict[str, float]) -> Instance:
    active = samples.reading(metrics.get(ENGINE_ACTIVE), most=1)
    used, free = samples.mebibytes(metrics.get(USED)), samples.mebibytes(metrics.get(FREE))
    return Instance(
        gi=gi,
        profile=profile,
        utilisation=None if active is None else round(active * 100, 2),
        memory_used=used,
        memory_total=None if used is None or free is None else used + free,
    )
