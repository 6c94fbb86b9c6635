"""Steps of the start that need not run again while their input stays the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from portal.embedded.state import ROOT, State

FILE = "prepared.json"
# Compressing what no browser asks for would take most of the first start: fonts for PDFs, the API's unused pages, unminified copies, the next htmx.
NOT_SERVED = [word for name in ("NotoSansSC-*", "rest_framework", "jquery.js", "xregexp.js", "select2.full.js", "htm?x-4*") for word in ("--ignore", name)]
FLOORS = ("portal", "billing", "rentals", "monitoring")


@dataclass(frozen=True)
class Step:
    name: str
    sentence: str
    command: tuple[str, ...]
    digest: str


class Stamps:
    """What has been prepared in this state folder. A database that is not `trusted` (the operator's) may have changed behind us: always migrate it."""

    def __init__(self, state: State, *, trusted: bool) -> None:
        self.state = state
        self.trusted = trusted

    def due(self, *names: str) -> list[Step]:
        kept = self.state.read(FILE)
        changed = [step for step in self._steps() if kept.get(step.name) != step.digest or (step.name != "static" and not self.trusted)]
        return [step for step in changed if step.name in names]

    def done(self, step: Step) -> None:
        self.state.write(FILE, {**self.state.read(FILE), step.name: step.digest})

    def _steps(self) -> list[Step]:
        locked = ROOT / "requirements.lock"  # packages bring migrations and static files of their own
        cluster = self.state.postgres / "PG_VERSION"  # another cluster starts empty
        migrations = [path for floor in FLOORS for path in (ROOT / floor).glob("**/migrations/*.py")]
        data = [path for floor in FLOORS for path in (ROOT / floor).glob("**/data/**/*") if path.is_file()]
        return [
            Step("migrate", "Migrating the database ...", ("migrate", "--noinput", "-v0"), _digest([*migrations, locked], _made_at(cluster))),
            Step("static", "Collecting static files ...", ("collectstatic", "--noinput", "-v0", *NOT_SERVED), _digest([*_files(ROOT / "static"), locked], "")),
            Step("demo", "Loading demo data ...", ("demo",), _digest([*migrations, *data, locked], _made_at(cluster))),
        ]


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _made_at(path: Path) -> str:
    return str(path.stat().st_mtime_ns) if path.exists() else ""


def _digest(paths: Iterable[Path], extra: str) -> str:
    whole = hashlib.sha256(extra.encode())
    for path in sorted(paths):
        whole.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return whole.hexdigest()
