"""The portal's settings under test. Parallel workers share one Valkey: each takes four database numbers of its own, before the settings are read."""

import os

NUMBERS_OF_A_WORKER = 4

os.environ.setdefault("PORTAL_TESTING", "1")
os.environ.setdefault("TESTS_FIRST_REDIS_DB", os.environ.get("PORTAL_REDIS_FIRST_DB", "0"))  # kept apart: child processes come by here again
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
os.environ["PORTAL_REDIS_FIRST_DB"] = str(int(os.environ["TESTS_FIRST_REDIS_DB"]) + NUMBERS_OF_A_WORKER * _worker)

from portal.settings import *  # noqa: E402, F403

MIDDLEWARE = ["tests.browser.inflight.count_requests", *MIDDLEWARE]  # noqa: F405
