"""One Server's agent: a reading every second, a Batch from it, a queue behind it."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from monitoring.agent.base import Source
from monitoring.agent.delivery import Waiting
from monitoring.domain import samples
from monitoring.domain.samples import Batch

log = logging.getLogger(__name__)

STEP = 2.0  # seconds by which the wall clock may leave the steady one before a new run begins


class Run:
    """One run of the agent as the portal orders it: a name, a counter, a clock that never goes back. When the node's clock is set, a new run begins."""

    def __init__(self, *, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._steady = wall, steady
        self._begin()

    def _begin(self) -> None:
        self.boot, self._seq = f"{kernel_boot()}/{uuid.uuid4().hex[:8]}", 0
        self._offset = self._wall() - self._steady()

    def next(self) -> tuple[str, int, float]:
        """Run, number and time of the next Batch."""
        at = self._steady() + self._offset
        if abs(self._wall() - at) > STEP:
            self._begin()
            at = self._wall()
        self._seq += 1
        return self.boot, self._seq, at


def kernel_boot() -> str:
    """What the kernel calls this boot; empty where it does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:36]
    except OSError:
        return ""


class Agent:
    """Reads its source and queues what it finds. `tick` is called once per interval; delivery runs beside it."""

    def __init__(self, *, server: str, source: Source, waiting: Waiting, run: Run | None = None) -> None:
        self.server, self._source, self._waiting, self._run = server, source, waiting, run or Run()
        self._warned: set[str] = set()

    def tick(self) -> Batch:
        """Read once and queue the Batch. Events that were found travel with it and, like it, until it is taken."""
        boot, seq, at = self._run.next()
        reading = self._source.read(at=at)
        for warning in set(reading.warnings) - self._warned:
            if len(self._warned) < 50:
                self._warned.add(warning)
                log.warning("%s: %s", self.server, warning)
        batch = Batch(self.server, self._source.name, boot, seq, at, tuple(reading.samples[: samples.MOST_GPUS]), tuple(reading.events[: samples.MOST_EVENTS]))
        self._waiting.put(batch)
        return batch


def keep_ticking(*, tick: Callable[[], object], stop: threading.Event, interval: float = samples.INTERVAL) -> None:
    """Call `tick` every interval until `stop`. After a delay the missed ones are left out, not caught up: the past cannot be read any more."""
    due = time.monotonic()
    while not stop.is_set():
        try:
            tick()
        except Exception:
            log.exception("a reading failed")
        due = max(due + interval, time.monotonic())
        stop.wait(due - time.monotonic())
