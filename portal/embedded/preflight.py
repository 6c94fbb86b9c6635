"""What the machine must have. All that is missing is named at once; root on Debian gets it installed, nobody is asked, nothing is skipped."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PYTHONS_OF_THE_SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3")


class NotReady(Exception):
    """Something is missing that could not be installed from here; the message names all of it."""


@dataclass(frozen=True)
class Missing:
    what: str
    packages: tuple[str, ...]  # Debian's names; empty where no package helps


def check(*, dev: bool, browser: bool) -> None:
    """Raise NotReady naming everything that is missing, after installing what Debian's packages can give when root runs this."""
    missing = find_missing(dev=dev, browser=browser)
    if missing and _may_install(missing):
        _install(sorted({package for one in missing for package in one.packages}))
        missing = find_missing(dev=dev, browser=browser)
    if missing:
        raise NotReady(_message(missing))


def find_missing(*, dev: bool, browser: bool) -> list[Missing]:
    found = [_venv(), _program("make", "make"), _c_library()]
    if dev:
        found += [_program("git", "git"), _program("xgettext", "gettext"), _python_for_everybody()]
    if browser:
        found += [_chromium(), _chinese_font()]
    return [one for one in found if one]


def chromium() -> str | None:
    """The browser that the tests drive: CHROMIUM from the environment, else the first on PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)


def _venv() -> Missing | None:
    if shutil.which("uv") or importlib.util.find_spec("ensurepip"):
        return None
    return Missing("Python's venv and ensurepip modules", ("python3-venv",))


def _program(name: str, package: str) -> Missing | None:
    return None if shutil.which(name) else Missing(name, (package,))


def _c_library() -> Missing | None:
    if platform.system() == "Linux" and platform.libc_ver()[0] != "glibc" and not {"DATABASE_URL", "REDIS_URL"} <= set(os.environ):
        return Missing("glibc for the embedded engines (on musl set DATABASE_URL and REDIS_URL to your own servers)", ())
    return None


def _chromium() -> Missing | None:
    return None if chromium() else Missing("Chromium (or name one in CHROMIUM)", ("chromium",))


def _chinese_font() -> Missing | None:
    listed = shutil.which("fc-list") and subprocess.run(["fc-list", ":lang=zh"], capture_output=True).stdout
    return None if listed else Missing("a Chinese font for the browser", ("fontconfig", "fonts-noto-cjk"))


def _python_for_everybody() -> Missing | None:
    """Root's tests also start the engines as a plain user, who may not be able to reach root's own Python."""
    if os.geteuid() != 0 or python_for_everybody():
        return None
    return Missing("a Python that plain users can run", ("python3",))


def python_for_everybody() -> str | None:
    return next(filter(_is_new_enough, PYTHONS_OF_THE_SYSTEM), None)


def _is_new_enough(python: str) -> bool:
    return Path(python).exists() and subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).returncode == 0


def _may_install(missing: list[Missing]) -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None and all(one.packages for one in missing)


def _install(packages: list[str]) -> None:
    print(f"Installing with apt-get: {' '.join(packages)}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(command, env=quiet, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise NotReady(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")


def _message(missing: list[Missing]) -> str:
    lines = ["This machine lacks:", *(f"  - {one.what}" for one in missing)]
    packages = sorted({package for one in missing for package in one.packages})
    if packages:
        lines.append(f"On Debian: sudo apt-get install {' '.join(packages)}")
    return "\n".join(lines)
