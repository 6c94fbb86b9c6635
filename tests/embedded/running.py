"""A portal under its supervisor in a folder of its own, as a person would start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from tests.house.tree import ROOT

# What the tests themselves run under must not reach the portal: it would be taken for the operator's own servers.
INHERITED = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
PROGRAMS = ("web", "worker", "beat", "agents", "engine", "stripe", "valkey", "postgres")


def clean_environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in INHERITED and not name.startswith(("PORTAL_", "PYTEST_", "TESTS_", "STRIPE_"))}
    return {**kept, **more}


def wait_until(true: Callable[[], object], *, seconds: float, what: str) -> object:
    """The first truthy answer; raises when there is none in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = true()
        if answer:
            return answer
        time.sleep(0.1)
    raise TimeoutError(f"not within {seconds} s: {what}")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return False


def processes_of(folder: Path) -> list[int]:
    """Processes that were told of this state folder, whose command names it or who work in it (PostgreSQL's children write over what they were told)."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and int(entry.name) != os.getpid() and _names(entry, folder)]


def _names(entry: Path, folder: Path) -> bool:
    try:
        told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes() + os.fsencode(os.readlink(entry / "cwd"))
    except OSError:
        return False
    return os.fsencode(folder) in told and is_alive(int(entry.name))


class Portal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = clean_environment(PORTAL_VAR=str(folder))
        self.output = folder.parent / f"{folder.name}.output"

    def start(self, *, seconds: float = 240, complete: bool = True) -> Portal:
        """Wait for the address, and when `complete` for the workers and agents that come after it."""
        self.output.write_text("")
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "portal.embedded", "demo"], cwd=ROOT, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )
        wait_until(lambda: "Ready in" in self.said() or self.process.poll() is not None, seconds=seconds, what=f"a ready portal, but:\n{self.said()}")
        assert self.process.poll() is None, self.said()
        if complete:
            wait_until(lambda: set(PROGRAMS) <= set(self.running()["pids"]), seconds=120, what="all programs")
        return self

    def said(self) -> str:
        return self.output.read_text()

    def running(self) -> dict:
        return json.loads((self.folder / "running.json").read_text())

    def log(self, name: str) -> str:
        return (self.folder / "log" / f"{name}.log").read_text(errors="replace")

    def answers(self, path: str = "/healthz") -> bool:
        try:
            with urllib.request.urlopen(self.running()["address"] + path, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)
