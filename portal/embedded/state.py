"""The state folder: where everything that a running portal writes is kept."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST_SOCKET = 107  # bytes; the kernel's limit for the path of a Unix socket
SOCKET_NAME = ".s.PGSQL.5432"
LOG_SIZE = 5_000_000


class StateInUse(Exception):
    """Another supervisor works in this state folder."""


class UnsafeFolder(Exception):
    """A folder for sockets belongs to somebody else."""


class State:
    """One state folder. `throwaway` is removed when its supervisor ends."""

    def __init__(self, root: Path, *, throwaway: bool = False) -> None:
        self.root = root.resolve()
        self.throwaway = throwaway
        for folder in (self.root, self.logs, self.valkey):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = (self.root / "supervisor.lock").open("a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateInUse(
                f"A portal already runs in {self.root}{self._address_of_the_other()}. Stop it first, or name another folder in PORTAL_VAR."
            ) from None

    @classmethod
    def temporary(cls) -> State:
        return cls(Path(tempfile.mkdtemp(prefix="portal-")), throwaway=True)

    @property
    def logs(self) -> Path:
        return self.root / "log"

    @property
    def valkey(self) -> Path:
        return self.root / "valkey"

    @property
    def postgres(self) -> Path:
        return self.root / "pg"

    @property
    def sockets(self) -> Path:
        """The folder of PostgreSQL's socket: in the state folder, or on a short path when that one is too long for a socket."""
        name = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        elsewhere = f"portal-{os.getuid()}-{name}"
        choices = (self.root / "run", Path(tempfile.gettempdir()) / elsewhere, Path("/tmp") / elsewhere)  # noqa: S108 - private_folder looks who owns it
        return next(folder for folder in choices if len(os.fsencode(folder / SOCKET_NAME)) <= LONGEST_SOCKET)

    def log(self, name: str) -> Path:
        """The log of a program; a long one is put aside first."""
        path = self.logs / f"{name}.log"
        if path.exists() and path.stat().st_size > LOG_SIZE:
            path.replace(path.with_suffix(".log.1"))
        return path

    def secret(self, name: str) -> str:
        """A random text that stays the same for as long as this folder lives."""
        kept = self.read("secrets.json")
        if name not in kept:
            kept[name] = secrets.token_urlsafe(32)
            self.write("secrets.json", kept)
        return kept[name]

    def read(self, name: str) -> dict:
        try:
            return json.loads((self.root / name).read_text())
        except (FileNotFoundError, ValueError):
            return {}

    def write(self, name: str, content: dict) -> None:
        """Replace a small file at once, readable by its owner only."""
        fresh = self.root / f"{name}.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(content, file, indent=1)
        fresh.replace(self.root / name)

    def close(self) -> None:
        """Give the folder up; a throw-away one is removed, and so are sockets outside of it."""
        if self.sockets.parent != self.root:
            shutil.rmtree(self.sockets, ignore_errors=True)
        if self.throwaway:
            shutil.rmtree(self.root, ignore_errors=True)
        self._lock.close()

    def _address_of_the_other(self) -> str:
        address = self.read("running.json").get("address")
        return f" at {address}" if address else ""


def private_folder(path: Path, *, owner: int, shared_place: bool = False) -> None:
    """Make `path` a folder that only `owner` enters. In a shared place somebody else may have taken the name first: raises UnsafeFolder."""
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or (shared_place and found.st_uid not in (os.geteuid(), owner)):
        raise UnsafeFolder(f"{path} belongs to somebody else")
    if found.st_uid != owner:
        os.chown(path, owner, -1)
    path.chmod(0o700)
