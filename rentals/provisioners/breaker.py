"""A circuit breaker before an engine: while it cannot be heard, most callers are answered Unknown at once, so that its silence does not hold up workers."""

from __future__ import annotations

import time
from collections.abc import Callable

from rentals.provisioners import base

FAILURES = 5
REST_SECONDS = 5.0


class Guarded:
    """Passes every verb to `engine`. After `failures` Unknown answers in a row it rests; after the rest one caller tries."""

    def __init__(self, engine: base.Provisioner, *, failures: int = FAILURES, rest: float = REST_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._failures = failures
        self._rest = rest
        self._clock = clock
        self._in_a_row = 0
        self._closed_again_at = 0.0

    def __getattr__(self, verb: str) -> Callable:
        asked = getattr(self._engine, verb)

        def guarded(*args: object, **kwargs: object) -> object:
            if self._in_a_row >= self._failures and self._clock() < self._closed_again_at:
                return base.Unknown("the engine cannot be heard; resting")
            self._closed_again_at = self._clock() + self._rest
            answer = asked(*args, **kwargs)
            self._in_a_row = self._in_a_row + 1 if isinstance(answer, base.Unknown) else 0
            return answer

        return guarded
