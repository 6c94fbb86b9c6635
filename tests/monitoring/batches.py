"""Batches for tests."""

from __future__ import annotations

import json
import time

from monitoring.domain import wire
from monitoring.domain.samples import Batch, Event, Instance, Sample


def board(gpu: str, **readings: object) -> Sample:
    return Sample(gpu, **{"utilisation": 97, "memory_used": 70012, "memory_total": 81920, "power": 310.2, "temperature": 55, "throttle": 0, **readings})


def mig(gpu: str) -> Sample:
    instances = (Instance(1, "3g.40gb", 0, 4, 42, 12011, 40448), Instance(2, "3g.40gb", 4, 4, 0, 37, 40448))
    return Sample(gpu, power=99.5, temperature=41, throttle=1, mig=True, instances=instances)


def batch(server: str, *samples: Sample, seq: int = 1, at: float | None = None, boot: str = "boot", events: tuple[Event, ...] = ()) -> Batch:
    return Batch(server, "simulated", boot, seq, time.time() if at is None else at, samples, events)


def body(sent: Batch, **changes: object) -> bytes:
    return json.dumps({**wire.to_wire(sent), **changes}).encode()
