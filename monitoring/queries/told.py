"""What a program is told of a Booking's GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from monitoring.domain.display import Face
from monitoring.models import MinuteRollup
from monitoring.queries import charts, pages
from monitoring.queries.charts import Fault
from monitoring.queries.watching import Watch
from portal.kernel.period import Period


@dataclass(frozen=True, slots=True)
class Told:
    booking: str
    live: bool
    servers: list[Face]
    minutes: list[MinuteRollup]
    faults: list[Fault]


def telemetry(*, watch: Watch, minutes: int, now: datetime) -> Told:
    """The newest readings, the last `minutes` that are written, and the faults of that time (at least an hour), all of the viewer's own time only."""
    faces = pages.strip(watch=watch, now=now)
    faults = charts.faults(watched=watch.served, since=now - timedelta(minutes=max(60, minutes)))
    return Told(watch.number, bool(watch.servers), faces, _minutes(watch, faces, minutes, now), faults)


def _minutes(watch: Watch, faces: list[Face], minutes: int, now: datetime) -> list[MinuteRollup]:
    wanted = Period(now - timedelta(minutes=minutes), now) if minutes else None
    lines = {face.serial: [line.name for line in face.lines] for face in faces}
    rows: list[MinuteRollup] = []
    for one in watch.served:
        own = wanted.clipped(one.served) if wanted and one.served else wanted
        if own:
            names = lines.get(one.serial) or [gpu.uuid for gpu in one.gpus if not gpu.is_slice]
            rows += MinuteRollup.objects.filter(server=one.serial, gpu__in=names, minute__gte=own.start, minute__lt=own.end).order_by("minute", "gpu")
    return rows
