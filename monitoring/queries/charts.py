"""What is drawn: the last five minutes out of the streams, longer spans out of the minutes in the database, in one shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Avg, DateTimeField, F, Func, Max, Min, Value

from monitoring.domain import faults as meanings
from monitoring.domain import samples, series
from monitoring.domain.display import Line
from monitoring.models import GpuEvent, MinuteRollup
from monitoring.queries import streams, watching
from monitoring.queries.watching import Watched
from portal.kernel.period import Period

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
MOST_FAULTS = 50


@dataclass(frozen=True, slots=True)
class Span:
    """How far back a chart goes and how far apart its points are, in seconds. `live` comes from the streams."""

    name: str
    seconds: int
    step: int

    @property
    def live(self) -> bool:
        return self.step == 1

    @property
    def length(self) -> timedelta:
        return timedelta(seconds=self.seconds)


SPANS = {span.name: span for span in (Span("5m", 300, 1), Span("1h", 3600, 60), Span("24h", 86_400, 300), Span("7d", 604_800, 1800))}


@dataclass(frozen=True, slots=True)
class Fault:
    """An event of one GPU, as it is listed and marked on the charts."""

    at: datetime
    server: str
    gpu: str
    code: str
    text: str

    @property
    def name(self) -> str:
        """XID 79, ECC."""
        return self.code.upper().replace("-", " ")

    @property
    def outcome(self) -> str:
        """note, drain or replace."""
        return meanings.meaning(self.code).outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """Least, mean and greatest of one line over a span, for each of series.MEASURES; the table beside the charts."""

    line: Line
    values: tuple[tuple[float | None, float | None, float | None], ...]


def live(*, watched: Sequence[Watched], lines: Sequence[Line]) -> dict[str, Any]:
    """The last five minutes of each Server, cut down to what may be seen, in the shape of series.columns."""
    names = _names(watched, lines)
    history = streams.history([one.serial for one in watched])
    return {
        one.serial: series.columns((watching.cut(packed, one) for packed in history.get(one.serial, []) if _own(packed.at, one)), names[one.serial])
        for one in watched
    }


def past(*, watched: Sequence[Watched], lines: Sequence[Line], span: Span, now: datetime) -> tuple[dict[str, Any], list[Summary]]:
    """Averages of each `span.step` over `span`, in the same shape, and the table of least, mean, greatest. Only from while each Server was the viewer's.
    Two queries for each Server."""
    names = _names(watched, lines)
    charts, summaries = {}, []
    for one in watched:
        rows = _minutes(one, names[one.serial], span, now)
        charts[one.serial] = _columns(rows, names[one.serial], span.step)
        summaries += _summaries(rows, [line for line in lines if line.server == one.serial])
    return charts, summaries


def faults(*, watched: Sequence[Watched], since: datetime) -> list[Fault]:
    """What befell the GPUs of these Servers since then, newest first: of the viewer's GPUs, and only while they were his."""
    rows = GpuEvent.objects.filter(server__in=[one.serial for one in watched], at__gte=since).order_by("-at", "-id")[: 4 * MOST_FAULTS]
    labels = {gpu.uuid: f"GPU {gpu.position}" for one in watched for gpu in one.gpus}
    seen = [row for row in rows if any(_concerns(row, one) for one in watched if one.serial == row.server)]
    return [Fault(row.at, row.server, labels.get(row.gpu, row.gpu), row.code, row.text) for row in seen[:MOST_FAULTS]]


def summarise(chart: dict[str, Any], lines: Sequence[Line]) -> list[Summary]:
    """The table of a chart that was drawn from single readings."""
    found = []
    for line in lines:
        columns = chart.get(line.server, {"v": {}})["v"].get(line.name, [[], [], [], []])
        found.append(Summary(line, tuple(_spread(column) for column in columns)))
    return found


def _spread(column: Sequence[float | None]) -> tuple[float | None, float | None, float | None]:
    there = [value for value in column if value is not None]
    return (min(there), samples.mean(there), max(there)) if there else (None, None, None)


def _names(watched: Sequence[Watched], lines: Sequence[Line]) -> dict[str, list[str]]:
    return {one.serial: [line.name for line in lines if line.server == one.serial] for one in watched}


def _own(at: float, one: Watched) -> bool:
    return one.served is None or one.served.start.timestamp() <= at < one.served.end.timestamp()


def _concerns(row: GpuEvent, one: Watched) -> bool:
    known = one.scope.whole or row.gpu in {gpu.uuid for gpu in one.gpus}
    return known and (one.served is None or one.served.contains(row.at))


def _minutes(one: Watched, names: Sequence[str], span: Span, now: datetime) -> list[dict[str, Any]]:
    wanted = Period(now - timedelta(seconds=span.seconds), now)
    own = wanted if one.served is None else wanted.clipped(one.served)
    if own is None:
        return []
    bucket = Func(Value(timedelta(seconds=span.step)), F("minute"), Value(EPOCH), function="date_bin", output_field=DateTimeField())
    rows = MinuteRollup.objects.filter(server=one.serial, gpu__in=names, minute__gte=own.start, minute__lt=own.end).annotate(bucket=bucket)
    found: Any = (
        rows.values("bucket", "gpu")
        .annotate(
            utilisation=Avg("utilisation_avg"), memory_used=Avg("memory_used_avg"), power=Avg("power_avg"), temperature=Avg("temperature_avg"),
            least=Min("utilisation_min"), utilisation_most=Max("utilisation_max"), memory_used_most=Max("memory_used_max"), power_most=Max("power_max"),
            temperature_most=Max("temperature_max"),
        )
        .order_by("bucket", "gpu")
    )  # fmt: skip
    return list(found)


def _columns(rows: Sequence[dict[str, Any]], names: Sequence[str], step: int) -> dict[str, Any]:
    """A point stands at the middle of its step."""
    times = sorted({row["bucket"] for row in rows})
    by_key = {(row["bucket"], row["gpu"]): row for row in rows}
    values = {name: [[_rounded(by_key.get((at, name), {}).get(measure)) for at in times] for measure in series.MEASURES] for name in names}
    return {"t": [at.timestamp() + step / 2 for at in times], "v": values}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _summaries(rows: Sequence[dict[str, Any]], lines: Sequence[Line]) -> list[Summary]:
    found = []
    for line in lines:
        own = [row for row in rows if row["gpu"] == line.name]
        values = []
        for measure in series.MEASURES:
            least = _spread([row["least"] if measure == "utilisation" else row[measure] for row in own])[0]
            values.append((least, _spread([row[measure] for row in own])[1], _spread([row[f"{measure}_most"] for row in own])[2]))
        found.append(Summary(line, tuple(values)))
    return found
