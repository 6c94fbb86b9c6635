"""Many simulated agents in one process, for the demo: python -m monitoring.agent.fleet --url http://127.0.0.1:8000 --fleet var/fleet.json

Without arguments it takes the address and the state folder that the supervisor gives every program. Every Batch says `simulated`. The fleet file is
[{"server", "token", "gpus": [{"uuid", "model", "memory_mib", "tdp", "mig": [...]}], "workload"?, "scenario"?}]; it is waited for, and read again when it
changes.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from monitoring.agent.delivery import Courier, Portal, Waiting
from monitoring.agent.loop import Agent
from monitoring.agent.simulated import Board, Simulated
from monitoring.domain import samples

log = logging.getLogger("fleet")

LOOK_EVERY = 5.0  # seconds between looks at the fleet file


@dataclass
class Member:
    entry: Mapping
    agent: Agent
    courier: Courier
    due: float


class Fleet:
    """The agents of a fleet file. One thread reads for all of them, each has a courier of its own, so that a slow answer delays nobody else."""

    def __init__(self, *, url: str, path: Path, interval: float = samples.INTERVAL) -> None:
        self._url, self._path, self._interval = url, path, interval
        self._seen: tuple[int, int] | None = None
        self.members: dict[str, Member] = {}

    def look(self) -> None:
        """Take on who is new in the file, let go who is gone, begin anew with who was changed. An unreadable file changes nothing."""
        try:
            stat = self._path.stat()
            if self._seen == (stat.st_mtime_ns, stat.st_size):
                return
            entries = {entry["server"]: entry for entry in json.loads(self._path.read_text())}
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.info("waiting for %s: %s", self._path, error)
            return
        self._seen = (stat.st_mtime_ns, stat.st_size)
        for server in [server for server, member in self.members.items() if entries.get(server) != member.entry]:
            self.members.pop(server).courier.stop()
        for server, entry in entries.items():
            if server not in self.members:
                self.members[server] = self._join(entry)
        log.info("%d simulated servers", len(self.members))

    def _join(self, entry: Mapping) -> Member:
        boards = [Board.read(gpu) for gpu in entry["gpus"]]
        source = Simulated(seed=entry["server"], boards=boards, workload=entry.get("workload", ""), scenario=entry.get("scenario", ""))
        waiting = Waiting()
        courier = Courier(portal=Portal(url=self._url, token=entry["token"]), waiting=waiting, name=entry["server"])
        courier.start()
        phase = zlib.crc32(entry["server"].encode()) % 1000 / 1000 * self._interval  # spread over the interval, the same after every start
        return Member(entry, Agent(server=entry["server"], source=source, waiting=waiting), courier, time.monotonic() + phase)

    def run(self, stop: threading.Event) -> None:
        """Read for everyone until `stop`."""
        look_due = 0.0
        while not stop.is_set():
            if time.monotonic() >= look_due:
                self.look()
                look_due = time.monotonic() + LOOK_EVERY
            self.read_due(time.monotonic())
            upcoming = min([look_due, *(member.due for member in self.members.values())])
            stop.wait(max(0.0, upcoming - time.monotonic()))
        for member in self.members.values():
            member.courier.stop()

    def read_due(self, now: float) -> None:
        for member in self.members.values():
            if member.due <= now:
                member.agent.tick()
                member.due = max(member.due + self._interval, now)


def main(argv: list[str] | None = None) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    parser = argparse.ArgumentParser(prog="python -m monitoring.agent.fleet", description="Simulated agents for a whole fleet.")
    parser.add_argument("--url", default=os.environ.get("PORTAL_BASE_URL", "http://127.0.0.1:8000"), help="address of the portal (default %(default)s)")
    parser.add_argument("--fleet", type=Path, default=Path(os.environ.get("PORTAL_VAR", "var"), "fleet.json"), help="fleet file (default %(default)s)")
    parser.add_argument("--interval", type=float, default=samples.INTERVAL)
    chosen = parser.parse_args(argv)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    Fleet(url=chosen.url, path=chosen.fleet, interval=chosen.interval).run(stop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
