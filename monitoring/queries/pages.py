"""The live page: everything it shows, gathered once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitoring.domain import display
from monitoring.domain.display import Expected, Face, Line
from monitoring.queries import charts, streams, watching
from monitoring.queries.charts import SPANS, Fault, Span, Summary
from monitoring.queries.watching import Watch, Watched

AT_ONCE = 16  # GPUs on one page; beyond that one Server at a time


@dataclass(frozen=True, slots=True)
class Live:
    """A live page. `servers` are all that may be chosen, `faces` those that are shown; `is_over` says that nothing is live any more."""

    watch: Watch
    servers: tuple[Watched, ...]
    chosen: str
    faces: tuple[Face, ...]
    span: Span
    series: dict[str, Any]
    lines: tuple[Line, ...]
    table: list[Summary]
    faults: list[Fault]
    now: datetime

    @property
    def is_over(self) -> bool:
        return not self.watch.servers

    @property
    def reporting(self) -> int:
        return sum(face.totals.reporting for face in self.faces)

    @property
    def expected(self) -> int:
        return sum(face.totals.expected for face in self.faces)

    @property
    def is_simulated(self) -> bool:
        return any(face.source == "simulated" for face in self.faces)


def page(*, watch: Watch, chosen: str = "", span: str = "", now: datetime) -> Live:
    """The page of `watch`. An unknown server or span falls back to what is shown without one."""
    chosen_span = SPANS.get(span, SPANS["5m"])
    servers = watch.servers or _distinct(watch.served)
    shown = _shown(servers, chosen)
    parts = [one for one in watch.served if one.serial in {server.serial for server in shown}]
    faces = _faces(shown, now, live=bool(watch.servers))
    lines = tuple(line for face in faces for line in face.lines)
    if chosen_span.live:
        series = charts.live(watched=shown if watch.servers else (), lines=lines)
        table = charts.summarise(series, lines)
    else:
        series, table = charts.past(watched=shown, lines=lines, span=chosen_span, now=now)
    since = now - timedelta(seconds=max(chosen_span.seconds, 3600))
    known = chosen if chosen in {one.serial for one in shown} else ""
    return Live(watch, servers, known, faces, chosen_span, series, lines, table, charts.faults(watched=parts, since=since), now)


def strip(*, watch: Watch, now: datetime) -> list[Face]:
    """Every live Server of `watch` with its newest readings."""
    return list(_faces(watch.servers, now, live=True))


def drawing(*, live: Live) -> dict[str, Any]:
    """What the script of the page draws, as JSON: the lines, the readings of each Server, the faults to mark."""
    return {
        "now": live.now.timestamp(),
        "live": live.span.live and not live.is_over,
        "seconds": live.span.seconds,
        "step": live.span.step,
        "lines": [
            {"name": line.name, "label": line.label, "server": line.server, "colour": line.colour, "dash": line.dash, "part": "/" in line.name}
            for line in live.lines
        ],
        "tops": _tops(live),
        "servers": live.series,
        "ages": {face.serial: face.age for face in live.faces},
        "faults": [{"at": fault.at.timestamp(), "gpu": fault.gpu, "server": fault.server, "code": fault.name} for fault in live.faults],
    }


def _tops(live: Live) -> list[float]:
    """Where the axis of each of series.MEASURES ends: a share at 100, memory and power at what the largest card has and may draw."""
    cards = [card for face in live.faces for card in face.cards]
    memory = max((card.memory_total for card in cards), default=0)
    power = max((card.power_top for card in cards), default=0)
    return [100, max(1, round(memory / 1024)), max(1, power), 100]


def _faces(servers: Sequence[Watched], now: datetime, *, live: bool) -> tuple[Face, ...]:
    """Without `live` the readings of now are somebody else's, and nobody is asked for them."""
    newest = streams.newest([one.serial for one in servers]) if live else {}
    faces, colour = [], 0
    for one in servers:
        packed = newest.get(one.serial)
        found = display.face(one.serial, _expected(one), watching.cut(packed, one) if packed else None, now.timestamp(), colour)
        colour += len(found.cards)
        faces.append(found)
    return tuple(faces)


def _expected(one: Watched) -> list[Expected]:
    return [Expected(gpu.uuid, gpu.position, gpu.model, gpu.memory_mib, gpu.tdp_w, (gpu.start,) if gpu.is_slice else ()) for gpu in one.gpus]


def _shown(servers: Sequence[Watched], chosen: str) -> tuple[Watched, ...]:
    named = tuple(one for one in servers if one.serial == chosen)
    if named:
        return named
    return tuple(servers) if sum(one.expected for one in servers) <= AT_ONCE else tuple(servers[:1])


def _distinct(served: Sequence[Watched]) -> tuple[Watched, ...]:
    """The last span of each Server."""
    return tuple({one.serial: one for one in served}.values())
