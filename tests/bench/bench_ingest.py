"""CPU of the web process for one Batch of 8 GPUs on its way in, beside a route that reads the body and answers."""

from __future__ import annotations

import http.client
import json
import time

from monitoring.agent.simulated import Board, Simulated
from monitoring.domain import wire
from monitoring.domain.samples import Batch
from tests.bench import serving
from tests.bench.figure import Figure

SECONDS = 6.0


def measure() -> Figure:
    with serving.site() as (port, process):
        _post(port, "/echo", 0.5)
        _post(port, "/telemetry/v1/ingest", 0.5)
        ours = _cost(port, process, "/telemetry/v1/ingest")
        control = _cost(port, process, "/echo")
    return Figure(ours=ours, control=control, unit="us CPU/batch", told="a batch of 8 GPUs checked, ordered, kept and published against a bare ASGI answer")


def _cost(port: int, process: int, path: str) -> float:
    before = serving.cpu(process)
    count = _post(port, path, SECONDS)
    return (serving.cpu(process) - before) / count * 1e6


def _post(port: int, path: str, seconds: float) -> int:
    """Closed loop over one kept-alive connection; every Batch is new."""
    source = Simulated(seed="bench", boards=[Board(f"GPU-{i:08d}-0000-4000-8000-000000000000", "A100", 81920, 400) for i in range(8)])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    samples = tuple(source.read(at=time.time()).samples)
    headers, boot, count = {"Authorization": "Bearer bench-0"}, str(time.time()), 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        body = json.dumps(wire.to_wire(Batch("bench-0", "simulated", boot, count + 1, time.time(), samples)))
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status not in (200, 202):
            raise RuntimeError(f"{path} answered {answer.status}")
        count += 1
    connection.close()
    return count
