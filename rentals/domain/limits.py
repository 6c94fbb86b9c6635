"""Rules about what may be booked at all, whatever is free. They hold for create, extend, shift and scale alike, by page, API and staff."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from portal.kernel.period import Period
from rentals.domain.stock import peak


class Rule(enum.StrEnum):
    NONE_WANTED = "none_wanted"  # fewer than one
    IN_THE_PAST = "in_the_past"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_FAR_AHEAD = "too_far_ahead"
    TOO_MANY = "too_many"  # more at one time than the customer may have
    STORAGE_STEP = "storage_step"
    STORAGE_TOO_LARGE = "storage_too_large"


@dataclass(frozen=True, slots=True)
class Limits:
    """`most_at_once` is what the customer may have running at one time, all his Bookings together; `storage_step` 0 means that no storage is offered."""

    shortest: timedelta
    longest: timedelta
    horizon: timedelta
    most_at_once: int
    storage_step: int = 0
    storage_most: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a wish breaks, the input at fault and what would be permitted."""

    rule: Rule
    field: str
    allowed: object


def broken(limits: Limits, *, during: Period, quantity: int, storage_tb: int, now: datetime) -> Broken | None:
    """The first rule that the wish breaks by itself."""
    checks = (
        (quantity < 1, Broken(Rule.NONE_WANTED, "quantity", 1)),
        (during.start < now, Broken(Rule.IN_THE_PAST, "start", now)),
        (during.length < limits.shortest, Broken(Rule.TOO_SHORT, "length", limits.shortest)),
        (during.length > limits.longest, Broken(Rule.TOO_LONG, "length", limits.longest)),
        (during.start > now + limits.horizon, Broken(Rule.TOO_FAR_AHEAD, "start", now + limits.horizon)),
        (storage_tb < 0 or storage_tb % (limits.storage_step or max(storage_tb, 1)) > 0, Broken(Rule.STORAGE_STEP, "storage_tb", limits.storage_step)),
        (storage_tb > limits.storage_most, Broken(Rule.STORAGE_TOO_LARGE, "storage_tb", limits.storage_most)),
    )
    return next((found for is_broken, found in checks if is_broken), None)


def too_many(limits: Limits, *, during: Period, quantity: int, others: Iterable[tuple[Period, int]]) -> Broken | None:
    """Whether the customer would have more running at one instant than he may, beside his `others`."""
    left = limits.most_at_once - peak(others, during)
    return Broken(Rule.TOO_MANY, "quantity", max(left, 0)) if quantity > left else None
