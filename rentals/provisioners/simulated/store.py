"""Where the simulated engine keeps its state: one SQLite file, committed with fsync before any reply, so that kill -9 loses nothing acknowledged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS thing (kind TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS timer (id INTEGER PRIMARY KEY, due REAL NOT NULL, effect TEXT NOT NULL, doc TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS timer_due ON timer (due, id);
"""


class Store:
    """Documents by kind and key, and timers in order of their due moment (seconds since the epoch)."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def get(self, kind: str, key: str) -> dict | None:
        row = self._db.execute("SELECT doc FROM thing WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return None if row is None else json.loads(row[0])

    def known(self, kind: str, key: str) -> dict:
        """What is there for certain. Raises KeyError."""
        found = self.get(kind, key)
        if found is None:
            raise KeyError(f"{kind} {key}")
        return found

    def put(self, kind: str, key: str, doc: dict) -> None:
        self._db.execute("INSERT INTO thing VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET doc = excluded.doc", (kind, key, json.dumps(doc)))

    def drop(self, kind: str, key: str) -> None:
        self._db.execute("DELETE FROM thing WHERE kind = ? AND key = ?", (kind, key))

    def every(self, kind: str, after: str = "", limit: int = 100_000) -> list[tuple[str, dict]]:
        rows = self._db.execute("SELECT key, doc FROM thing WHERE kind = ? AND key > ? ORDER BY key LIMIT ?", (kind, after, limit))
        return [(key, json.loads(doc)) for key, doc in rows]

    def set_timer(self, due: float, effect: str, **doc: object) -> None:
        self._db.execute("INSERT INTO timer (due, effect, doc) VALUES (?, ?, ?)", (due, effect, json.dumps(doc)))

    def pop_timer(self, now: float) -> tuple[float, str, dict] | None:
        """The first timer due by `now`, removed; None when there is none."""
        row = self._db.execute("SELECT id, due, effect, doc FROM timer WHERE due <= ? ORDER BY due, id LIMIT 1", (now,)).fetchone()
        if row is None:
            return None
        self._db.execute("DELETE FROM timer WHERE id = ?", (row[0],))
        return row[1], row[2], json.loads(row[3])

    def forget_timers(self, *, keep: tuple[str, ...]) -> None:
        """Drop every timer but those of the effects named in `keep`."""
        self._db.execute(f"DELETE FROM timer WHERE effect NOT IN ({', '.join('?' * len(keep))})", keep)  # noqa: S608 - question marks only
