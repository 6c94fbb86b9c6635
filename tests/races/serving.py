"""The portal as real processes over a test's own database: uvicorn with two workers on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN, STOPS_WITHIN = 90, 20


@contextmanager
def serving(application: str = "portal.asgi:application", *, workers: int = 2) -> Iterator[str]:
    """The address of the portal while it runs; its processes are gone afterwards, so that nothing holds the database."""
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", application, "--workers", str(workers), "--port", str(port), "--lifespan", "off", "--log-level", "warning"]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "DATABASE_URL": _database_url(), "PORTAL_TESTING": "1"}, stdout=subprocess.DEVNULL, start_new_session=True
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(STOPS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(address: str, process: subprocess.Popen) -> None:
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the portal ended with {process.returncode} before it served")
        try:
            if httpx.get(f"{address}/healthz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise TimeoutError(f"the portal did not serve within {STARTS_WITHIN} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _database_url() -> str:
    """DATABASE_URL with the name of the test's database."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    return urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
