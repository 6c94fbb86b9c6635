import pytest

from rentals.models import Accelerator, Unit
from rentals.services import inventory


def test_a_new_server_has_its_accelerators_and_one_unit_of_all_its_slots(racks):
    unit = Unit.objects.get(server__serial="srv-a1")

    assert (unit.slots.lower, unit.slots.upper) == (0, 64)
    assert Accelerator.objects.filter(server__serial="srv-a1").count() == 8


def test_a_serial_is_taken_once(racks, cast, now):
    server = Unit.objects.get(server__serial="srv-a1").server

    with pytest.raises(inventory.SerialTaken):
        inventory.add_server(
            serial="srv-a1", model=server.model, site=server.site, fabric=None, rack="R9", bmc_address="", engine="simulated", by=cast.olu, now=now
        )
