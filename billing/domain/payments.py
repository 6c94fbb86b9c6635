"""How a payment and a refund move when the gateway's object is read again: in any order, however often, towards one end state. And when to look next."""

from __future__ import annotations

from datetime import timedelta

STARTED, PROCESSING, ACTION, SUCCEEDED, FAILED, CANCELLED = "started", "processing", "requires_action", "succeeded", "failed", "cancelled"
WANTED, PENDING = "wanted", "pending"
REFUND_RANK = {WANTED: 0, PENDING: 1, SUCCEEDED: 2, FAILED: 3}
LOOKS = tuple(timedelta(seconds=seconds) for seconds in (20, 20, 30, 60, 120, 300, 600))
RETRIES = tuple(timedelta(seconds=seconds) for seconds in (5, 10, 30, 60, 300, 900, 3600))


def payment_after(*, current: str, seen: str, newer: bool) -> str:
    """The state of a Payment after the gateway's was read. Money that came is never taken back by an older look, and comes through whatever was known
    before; between the other states the newer look (`newer`) is right."""
    if SUCCEEDED in (current, seen):
        return SUCCEEDED
    return seen if newer else current


def refund_after(*, current: str, seen: str) -> str:
    """The state of a Refund after the gateway's was read: only forward. A bank may still fail what had succeeded; a failed one stays failed."""
    return max(current, seen, key=REFUND_RANK.__getitem__)


def pause_before_look(*, looks: int) -> timedelta:
    """How long to wait for a message before the gateway is asked for the `looks`-th time (from 0)."""
    return LOOKS[min(looks, len(LOOKS) - 1)]


def pause_before_retry(*, attempts: int) -> timedelta:
    """How long to wait after the `attempts`-th try (from 1) that had no usable answer."""
    return RETRIES[min(attempts, len(RETRIES)) - 1]
