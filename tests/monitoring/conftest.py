"""Telemetry tests have a Valkey of their own, empty before each test, so that two test processes do not read each other's streams."""

from __future__ import annotations

import pytest
import redis

from tests.live import engines
from tests.live.conftest import own_valkey  # noqa: F401 - a fixture


@pytest.fixture(scope="session")
def telemetry_valkey(tmp_path_factory):
    server = engines.Valkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def streams(telemetry_valkey, settings) -> redis.Redis:
    """The live Valkey of this test, empty."""
    settings.LIVE_REDIS_URL = telemetry_valkey.url
    client = redis.Redis.from_url(telemetry_valkey.url)
    client.flushdb()
    return client
