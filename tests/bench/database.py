"""A migrated database of a benchmark's own, gone when it is over."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Iterator

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

import django  # noqa: E402
from structlog import testing  # noqa: E402


@contextlib.contextmanager
def fresh() -> Iterator[None]:
    """Django on an empty database, its request log silent: a figure is one line."""
    django.setup()
    from django.db import connection

    usual = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        with testing.capture_logs():
            yield
    finally:
        connection.close()
        connection.creation.destroy_test_db(usual, verbosity=0)


def seconds(act: Callable[[], object], *, times: int, warm: int = 3) -> float:
    """The median of how long `act` takes, after `warm` runs that do not count."""
    for _ in range(warm):
        act()
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)
