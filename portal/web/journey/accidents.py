"""Accidents on the way: programs die by SIGKILL right before a step, and the step must hold all the same."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

# step -> the programs that die before it begins, each once: the hold survives the web server, the payment Valkey, the Deployment its worker, clock and
# engine, the invoice PostgreSQL, the refund the gateway
BEFORE = {
    "hold": ["web"],
    "pay": ["valkey"],
    "provisioned": ["worker", "engine", "beat"],
    "invoiced": ["postgres"],
    "ended": ["stripe"],
}


def strike(*, step: str, state_folder: Path) -> list[str]:
    """Kill what is to die before `step`, as the supervisor's running.json names it. Returns the names."""
    pids = json.loads((state_folder / "running.json").read_text())["pids"]
    for name in BEFORE.get(step, []):
        os.kill(pids[name], signal.SIGKILL)
    return BEFORE.get(step, [])
