"""Series: what one line of a chart, one row of a table, one minute's roll-up is about. A board is one by its UUID; a MIG instance is one by board and
placement, which survive what renumbers instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from monitoring.domain import samples
from monitoring.domain.wire import COLUMNS, INSTANCE_COLUMNS, Packed

MEASURES = ("utilisation", "memory_used", "power", "temperature")
Readings = tuple[float | None, float | None, float | None, float | None]  # in the order of MEASURES
NOTHING: Readings = (None, None, None, None)

_GPU, _INSTANCES = COLUMNS.index("gpu"), COLUMNS.index("instances")
_UTILISATION, _USED, _POWER, _TEMPERATURE = (COLUMNS.index(measure) for measure in MEASURES)
_GI, _START = INSTANCE_COLUMNS.index("gi"), INSTANCE_COLUMNS.index("start")
_PART_UTILISATION, _PART_USED = INSTANCE_COLUMNS.index("utilisation"), INSTANCE_COLUMNS.index("memory_used")


def name(gpu: str, gi: int, start: int | None) -> str:
    """The name of the series of one MIG instance."""
    return f"{gpu}/{start}" if start is not None else f"{gpu}/gi{gi}"


def readings(rows: Iterable[Sequence[Any]]) -> dict[str, Readings]:
    """The readings of each series in the rows of one message. Power and temperature are the board's, once; the memory of a board that does not say it
    itself is the sum of its instances', once."""
    found: dict[str, Readings] = {}
    for row in rows:
        gpu, parts = row[_GPU], row[_INSTANCES]
        used = row[_USED] if row[_USED] is not None or not parts else samples.total(part[_PART_USED] for part in parts)
        found[gpu] = (row[_UTILISATION], used, row[_POWER], row[_TEMPERATURE])
        for part in parts:
            found[name(gpu, part[_GI], part[_START])] = (part[_PART_UTILISATION], part[_PART_USED], None, None)
    return found


def columns(messages: Iterable[Packed], names: Sequence[str]) -> dict[str, Any]:
    """Messages of one Server, oldest first, as a chart takes them: {"t": times, "v": {series: one list for each of MEASURES}}. What is missing is None."""
    times: list[float] = []
    values: dict[str, list[list[float | None]]] = {series: [[], [], [], []] for series in names}
    for message in messages:
        times.append(round(message.at, 1))
        there = readings(message.rows)
        for series, lists in values.items():
            for column, value in zip(lists, there.get(series, NOTHING), strict=True):
                column.append(value)
    return {"t": times, "v": values}
