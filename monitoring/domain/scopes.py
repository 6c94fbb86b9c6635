"""Who may see which readings of a Server: all of it, some of its GPUs, or slices of a GPU that he shares with others. Goes by UUID and placement,
never by index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from monitoring.domain.wire import COLUMNS

GPU, INSTANCES, START = COLUMNS.index("gpu"), COLUMNS.index("instances"), 2
STATE, THROTTLE, MIG = COLUMNS.index("state"), COLUMNS.index("throttle"), COLUMNS.index("mig")


@dataclass(frozen=True, slots=True)
class Slice:
    """A range of memory slices of one GPU."""

    gpu: str
    start: int
    size: int

    def holds(self, start: object) -> bool:
        return isinstance(start, int) and self.start <= start < self.start + self.size


@dataclass(frozen=True, slots=True)
class Scope:
    """What one viewer may see of a Server. Equal scopes share one text (portal.live.hub)."""

    whole: bool = False
    gpus: frozenset[str] = frozenset()
    slices: frozenset[Slice] = frozenset()


def visible(rows: Iterable[list[object]], scope: Scope) -> list[list[object]]:
    """The rows, or parts of rows, that `scope` covers. Of a shared board only the state and the viewer's own instances are his to see: its power and
    temperature tell what the neighbours do."""
    if scope.whole:
        return list(rows)
    seen = []
    for row in rows:
        if row[GPU] in scope.gpus:
            seen.append(row)
        elif own := [one for one in row[INSTANCES] if any(piece.gpu == row[GPU] and piece.holds(one[START]) for piece in scope.slices)]:  # type: ignore[attr-defined]
            seen.append(_shared(row, own))
        elif any(piece.gpu == row[GPU] for piece in scope.slices):
            seen.append(_shared(row, []))
    return seen


def _shared(row: list[object], instances: list[object]) -> list[object]:
    kept = {GPU: row[GPU], STATE: row[STATE], THROTTLE: row[THROTTLE], MIG: 1, INSTANCES: instances}
    return [kept.get(column) for column in range(len(COLUMNS))]
