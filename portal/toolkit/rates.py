"""How often something may be done: one counter per name and window of time, in the cache. Log-in forms have allauth's own limits; all else asks here."""

from __future__ import annotations

import logging
import time

from django.core.cache import cache

from portal.kernel.errors import DomainError

log = logging.getLogger(__name__)
PREFIX = "rate"


class TooOften(DomainError):
    """This was tried too often. Wait a little and try again."""

    status = 429
    code = "too_often"


def hit(*, name: str, most: int, seconds: int) -> None:
    """Count one more `name` in the present window of `seconds`; raise TooOften (facts: retry_after) when it is more than `most`."""
    _judge(_counted(_key(name, seconds), seconds), most, seconds)


def check(*, name: str, most: int, seconds: int) -> None:
    """Raise TooOften when `name` was counted `most` times in the present window already. Counts nothing."""
    _judge(_read(_key(name, seconds)) + 1, most, seconds)


def _judge(count: int, most: int, seconds: int) -> None:
    if count > most:
        raise TooOften(retry_after=seconds - int(time.time()) % seconds)


def _key(name: str, seconds: int) -> str:
    return f"{PREFIX}:{name}:{seconds}:{int(time.time()) // seconds}"


def _counted(key: str, seconds: int) -> int:
    """The count with this one. A cache that is gone stops nobody: limits protect against guessing, not against renting."""
    try:
        cache.add(key, 0, timeout=seconds * 2)
        return cache.incr(key)
    except Exception as error:  # whatever the cache raises while it is away
        log.warning("rates are not counted: %s", error)
        return 0


def _read(key: str) -> int:
    try:
        return int(cache.get(key, 0))
    except Exception as error:  # as above
        log.warning("rates are not read: %s", error)
        return 0
