from __future__ import annotations

import pytest

from tests.live import engines


@pytest.fixture
def own_valkey(tmp_path, settings):
    """A Valkey that belongs to this test alone."""
    server = engines.Valkey(tmp_path)
    server.start()
    settings.LIVE_REDIS_URL = server.url
    yield server
    server.stop()
