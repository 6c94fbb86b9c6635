"""Period: a half-open span `[start, end)` of absolute time. Both ends are aware and held in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2999, 12, 31)  # what may come in from outside: any zone and any term can be added to it


class NaiveDatetime(ValueError):
    """A moment without a zone is not a moment."""


def in_utc(moment: datetime) -> datetime:
    """The same instant in UTC. Two datetimes that share a ZoneInfo subtract as wall time, so convert before any arithmetic."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise NaiveDatetime(moment.isoformat())
    return moment.astimezone(UTC)


@dataclass(frozen=True, slots=True, order=True)
class Period:
    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", in_utc(self.start))
        object.__setattr__(self, "end", in_utc(self.end))
        if self.end <= self.start:
            raise ValueError(f"a Period ends after it starts: {self.start.isoformat()} .. {self.end.isoformat()}")

    @classmethod
    def starting(cls, start: datetime, length: timedelta) -> Period:
        """The Period of `length` absolute time from `start`, whatever clocks do in between."""
        start = in_utc(start)
        return cls(start, start + length)

    @property
    def length(self) -> timedelta:
        return self.end - self.start

    @property
    def seconds(self) -> int:
        """Whole absolute seconds, rounded down."""
        return self.length // timedelta(seconds=1)

    def contains(self, moment: datetime) -> bool:
        return self.start <= in_utc(moment) < self.end

    def overlaps(self, other: Period) -> bool:
        return self.start < other.end and other.start < self.end

    def padded(self, *, before: timedelta = timedelta(0), after: timedelta = timedelta(0)) -> Period:
        return Period(self.start - before, self.end + after)

    def clipped(self, to: Period) -> Period | None:
        """The part inside `to`, or None when they do not overlap."""
        if not self.overlaps(to):
            return None
        return Period(max(self.start, to.start), min(self.end, to.end))
