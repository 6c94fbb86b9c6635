"""Reading a start as a person writes it: a local date and time with the zone beside it. What cannot be read is an error, never "now"."""

from __future__ import annotations

import re
import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime

from portal.kernel.period import FIRST_DAY, LAST_DAY

WRITTEN = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:?\d\d)?")


class Unreadable(ValueError):
    """This is not a date and time that one can reckon with."""


class NoSuchTime(ValueError):
    """The clocks of this zone skip this time."""


class UnknownZone(ValueError):
    """There is no such time zone."""


@dataclass(frozen=True, slots=True)
class Read:
    """An instant in UTC. `is_ambiguous`: the clocks of the zone show this time twice that day, and the earlier was taken."""

    at: datetime
    is_ambiguous: bool = False


def read(text: str, zone_name: str) -> Read:
    """The instant of `text`; its own offset wins over the zone. Raises Unreadable, NoSuchTime, UnknownZone."""
    text = text.strip()
    if not WRITTEN.fullmatch(text):
        raise Unreadable(text)
    try:
        written = datetime.fromisoformat(text)
    except ValueError as error:
        raise Unreadable(text) from error
    if not FIRST_DAY <= written.date() <= LAST_DAY:
        raise Unreadable(text)
    if written.tzinfo is not None:
        return Read(written.astimezone(UTC))
    zone = zone_of(zone_name)
    earlier, later = (written.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if earlier.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != written:
        raise NoSuchTime(text)
    return Read(earlier.astimezone(UTC), earlier.utcoffset() != later.utcoffset())


def zone_of(name: str) -> zoneinfo.ZoneInfo:
    """The zone of this name; raises UnknownZone."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownZone(name) from error
