import pytest

from tests.rentals.desk import Desk


@pytest.fixture
def desk(cast, racks, now) -> Desk:
    return Desk(cast, racks, now)
