"""The stand-in's memory: one SQLite file. Whatever was answered has been committed to disk before, so a `kill -9` loses nothing."""

from __future__ import annotations

import json
import secrets
import sqlite3
import string
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, created INTEGER NOT NULL,
    body TEXT NOT NULL, private TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS objects_by_kind ON objects (kind, seq);
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, params TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL, request_id TEXT NOT NULL,
    created INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, state TEXT NOT NULL, due_at INTEGER NOT NULL, first_due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, forged INTEGER NOT NULL DEFAULT 0, last_answer TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (state, due_at);
CREATE TABLE IF NOT EXISTS wishes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL, only TEXT NOT NULL DEFAULT '', times INTEGER NOT NULL, seconds INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
ALPHABET = string.ascii_letters + string.digits


def new_id(prefix: str) -> str:
    """An id in the vendor's manner: cs_test_ + 24 letters and digits."""
    return f"{prefix}_" + "".join(secrets.choice(ALPHABET) for _ in range(24))


class Store:
    """Objects as JSON documents by id and kind, in order of creation. All writes happen inside `transaction()`."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=FULL")  # the answer leaves only after the disk has it
        self.db.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def now(self) -> int:
        """Seconds since 1970 on the stand-in's clock, which the control interface can advance."""
        return int(time.time()) + int(self.fact("clock_offset", "0"))

    def fact(self, name: str, default: str) -> str:
        row = self.db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row["value"] if row else default

    def note(self, name: str, value: str) -> None:
        self.db.execute("INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value))

    def add(self, kind: str, body: dict, private: dict | None = None) -> dict:
        self.db.execute(
            "INSERT INTO objects (id, kind, created, body, private) VALUES (?, ?, ?, ?, ?)",
            (body["id"], kind, body["created"], json.dumps(body), json.dumps(private or {})),
        )
        return body

    def save(self, body: dict) -> dict:
        self.db.execute("UPDATE objects SET body = ? WHERE id = ?", (json.dumps(body), body["id"]))
        return body

    def get(self, kind: str, id: str | None) -> dict | None:
        row = self.db.execute("SELECT body FROM objects WHERE kind = ? AND id = ?", (kind, id)).fetchone()
        return json.loads(row["body"]) if row else None

    def known(self, kind: str, id: str) -> dict:
        """What is there for certain. Raises KeyError."""
        found = self.get(kind, id)
        if found is None:
            raise KeyError(f"{kind} {id}")
        return found

    def private(self, id: str | None) -> dict:
        """What the vendor knows of an object and never answers, such as how a test card behaves."""
        row = self.db.execute("SELECT private FROM objects WHERE id = ?", (id,)).fetchone()
        return json.loads(row["private"]) if row else {}

    def newest_first(self, kind: str) -> Iterator[dict]:
        for row in self.db.execute("SELECT body FROM objects WHERE kind = ? ORDER BY seq DESC", (kind,)):
            yield json.loads(row["body"])

    def take_wish(self, what: str, subject: str = "") -> sqlite3.Row | None:
        """The oldest wish for `what` that concerns `subject`, used up by one."""
        for row in self.db.execute("SELECT * FROM wishes WHERE what = ? AND times > 0 ORDER BY seq", (what,)).fetchall():
            if row["only"] == "" or subject.startswith(row["only"]):
                self.db.execute("UPDATE wishes SET times = times - 1 WHERE seq = ?", (row["seq"],))
                return row
        return None
