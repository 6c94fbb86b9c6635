"""Fixtures for every test: a clock that stands still and the named cast."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest

from portal.toolkit import rates
from tests import world


@pytest.fixture
def now() -> datetime:
    """A Tuesday, 2026-12-01 09:00 UTC."""
    return datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def cast(db, now) -> world.Cast:
    """Ada owns Lovelace Labs, Ben is a member and Chen only reads there; Mei sells, Fin keeps the books, Olu runs the racks; Sid is a stranger."""
    return world.cast(now)


@pytest.fixture
def racks(cast, now) -> world.Racks:
    """A small catalog with prices, a seller and three servers: two A100 8-card, one T4."""
    return world.racks(now)


@pytest.fixture(autouse=True)
def fresh_rates(monkeypatch) -> None:
    """No test counts against the rate limits of another."""
    monkeypatch.setattr(rates, "PREFIX", f"rate-{uuid.uuid4()}")


def pytest_make_parametrize_id(config, val, argname) -> str | None:
    """A long text in the name of a test helps nobody, and one with a moment in it differs between parallel workers."""
    return argname if isinstance(val, (str, bytes)) and len(val) > 60 else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items) -> None:
    """Files with browser tests come last: Playwright keeps an event loop running in its process, and no other test could begin one after it."""
    browsing = {item.path for item in items if "playwright" in item.fixturenames}
    items.sort(key=lambda item: item.path in browsing)
