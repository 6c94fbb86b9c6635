"""The virtual environment: made from a lock file with hashes, and left alone while the lock stays the same."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from portal.embedded import preflight

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
LOCKS = {False: ("requirements.lock",), True: ("requirements-dev.lock", "requirements.lock")}  # the first is installed, the others are part of it
WORDS = ROOT / "portal" / "locale"


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two launchers in one folder wait for each other; the lock goes with the process."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def make(*, dev: bool) -> Path:
    """The Python of a .venv that holds the locked packages; builds it when it is absent, broken or made from another lock."""
    python = VENV / "bin" / "python"
    wanted = {lock: _digest(ROOT / lock) for lock in LOCKS[dev]}
    if wanted.items() <= _stamp().items() and _runs(python):
        return python
    say(f"Installing {LOCKS[dev][0]} into .venv ...")
    if not _runs(python) or not _has_an_installer(python):
        shutil.rmtree(VENV, ignore_errors=True)
        _create()
    install(python, ["--require-hashes", "-r", str(ROOT / LOCKS[dev][0])])
    _stamp_file().write_text(json.dumps(wanted))
    return python


def compile_words(python: Path) -> None:
    """Compile translations with Babel, so that running the portal needs no gettext on the machine."""
    for catalog in WORDS.rglob("*.po"):
        compiled = catalog.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < catalog.stat().st_mtime:
            run([str(python), "-m", "babel.messages.frontend", "-q", "compile", "-i", str(catalog), "-o", str(compiled)])


def run(command: list[str], *, cwd: Path = ROOT, path: str = "") -> None:
    """Run a step of the set-up quietly; raises NotReady with the end of its output when it fails."""
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}" if path else os.environ["PATH"], **_home()}
    done = subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise preflight.NotReady(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")


def install(python: Path, what: list[str]) -> None:
    """Install packages for `python` with uv where the machine has it, else with pip (which may stand in another environment than `python`)."""
    uv = shutil.which("uv")
    run([uv, "pip", "install", "-q", "--python", str(python), *what] if uv else [*_pip(python), "install", "-q", *what])


def say(text: str) -> None:
    print(text, flush=True)


def _create() -> None:
    uv = shutil.which("uv")
    run([uv, "venv", "-q", "--python", sys.executable, str(VENV)] if uv else [sys.executable, "-m", "venv", str(VENV)])


def _pip(python: Path) -> list[str]:
    own = python.with_name("pip").exists()
    return [str(python), "-m", "pip"] if own else [str(VENV / "bin" / "python"), "-m", "pip", "--python", str(python)]


def _home() -> dict[str, str]:
    """Installers keep a cache at home; a user without one gets a folder of his own."""
    if os.access(os.path.expanduser("~"), os.W_OK):
        return {}
    home = Path(tempfile.gettempdir()) / f"portal-home-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    return {"HOME": str(home)}


def _runs(python: Path) -> bool:
    return python.exists() and subprocess.run([python, "-c", "pass"], stderr=subprocess.DEVNULL).returncode == 0


def _has_an_installer(python: Path) -> bool:
    return shutil.which("uv") is not None or python.with_name("pip").exists()


def _stamp_file() -> Path:
    return VENV / "installed.json"


def _stamp() -> dict[str, str]:
    try:
        return json.loads(_stamp_file().read_text())
    except (FileNotFoundError, ValueError):
        return {}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
