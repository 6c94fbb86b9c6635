from __future__ import annotations

import pytest

from tests.monitoring.agent.portal_stub import Stub


@pytest.fixture
def portal_stub():
    stub = Stub()
    yield stub
    stub.close()
