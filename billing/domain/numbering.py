"""Series and the look of a Document's number."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

PREFIXES = {"invoice": "INV", "credit_note": "CN"}


def prefix(*, kind: str, year: int, seller: str = "") -> str:
    """What every number of a series begins with: INV-2026-. A further seller's numbers carry its name, since numbers are unique in the house."""
    parts = [PREFIXES[kind], seller.upper(), str(year)] if seller else [PREFIXES[kind], str(year)]
    return "-".join(parts) + "-"


def number(*, prefix: str, sequence: int) -> str:
    """The public number: at least five digits, so that text sorts as numbers do."""
    return f"{prefix}{sequence:05d}"


def day(*, now: datetime, zone: str) -> date:
    """The calendar day of `now` where the seller keeps his books."""
    return now.astimezone(ZoneInfo(zone)).date()
