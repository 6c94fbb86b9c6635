"""A server for a benchmark, and what it costs in CPU."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.live.engines import free_port

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")


@contextlib.contextmanager
def site() -> Iterator[tuple[int, int]]:
    """The port and the process id of a uvicorn that serves tests.bench.sites."""
    port = free_port()
    command = ["uvicorn", "tests.bench.sites:application", "--port", str(port), "--lifespan", "off", "--log-level", "error", "--no-access-log"]
    server = subprocess.Popen([sys.executable, "-m", *command, "--ws-per-message-deflate", "false"])
    try:
        _wait(port)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(10)


def _wait(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise TimeoutError("the benchmark's server did not start")


def cpu(process: int) -> float:
    """Seconds of CPU that a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
