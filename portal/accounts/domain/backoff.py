"""When to try again to send a mail."""

from __future__ import annotations

from datetime import timedelta

WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2), timedelta(hours=12))


def wait_after(attempts: int) -> timedelta | None:
    """How long to wait after `attempts` failed attempts; None when it is time to give up."""
    if attempts < 1:
        raise ValueError("nothing was attempted yet")
    return WAITS[attempts - 1] if attempts <= len(WAITS) else None
