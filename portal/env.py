"""Typed reading of the environment. Every variable the portal knows is read here through `Reader`, which refuses nonsense by name and remembers
what was asked for, so that a test can compare it with docs/settings.md."""

from __future__ import annotations

import os
from collections.abc import Mapping

import environ


class BadSetting(SystemExit):
    """A variable in the environment that cannot be used; the message names it."""


class Reader:
    """Reads variables of `source` by type. `known` maps each asked name to its default, for the documentation test."""

    def __init__(self, source: Mapping[str, str] | None = None) -> None:
        self.source = os.environ if source is None else source
        self.known: dict[str, object] = {}

    def text(self, name: str, default: str = "") -> str:
        self.known[name] = default
        return self.source.get(name, default)

    def flag(self, name: str, default: bool = False) -> bool:
        self.known[name] = default
        raw = self.source.get(name, "").strip().lower()
        if raw in ("", "0", "no", "false", "off"):
            return default if raw == "" else False
        if raw in ("1", "yes", "true", "on"):
            return True
        raise BadSetting(f"{name} must be yes or no, not {raw!r}")

    def number(self, name: str, default: int, *, least: int = 0) -> int:
        self.known[name] = default
        raw = self.source.get(name, str(default))
        try:
            value = int(raw)
        except ValueError:
            raise BadSetting(f"{name} must be a whole number, not {raw!r}") from None
        if value < least:
            raise BadSetting(f"{name} must be at least {least}, not {value}")
        return value

    def words(self, name: str, default: str = "") -> list[str]:
        self.known[name] = default
        return [word.strip() for word in self.source.get(name, default).split(",") if word.strip()]

    def database(self, name: str, default: str = "") -> dict:
        """A DATABASE_URL as Django's dictionary; postgresql:// only."""
        self.known[name] = default
        raw = self.source.get(name, default)
        if not raw.startswith(("postgresql://", "postgres://")):
            raise BadSetting(f"{name} must be a postgresql:// address (make demo starts one for you and sets it)")
        return environ.Env.db_url_config(raw)
