"""Seconds from the start of the supervisor to a portal that answers: warm, and as control in an empty state folder."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.bench.figure import Figure
from tests.embedded.running import Portal


def measure() -> Figure:
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        portal = Portal(Path(folder) / "var")
        cold, warm = _seconds(portal), _seconds(portal)
    return Figure(ours=warm, control=cold, unit="s", told="warm start against one that migrates, collects and loads")


def _seconds(portal: Portal) -> float:
    begun = time.monotonic()
    portal.start(seconds=300, complete=False)
    seconds = time.monotonic() - begun
    portal.stop()
    return seconds
