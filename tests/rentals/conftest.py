import pytest

from tests.rentals.desk import Desk
from tests.rentals.floor import Floor


@pytest.fixture
def desk(cast, racks, now) -> Desk:
    return Desk(cast, racks, now)


@pytest.fixture
def floor(desk, tmp_path, monkeypatch) -> Floor:
    return Floor(desk, tmp_path, monkeypatch)
