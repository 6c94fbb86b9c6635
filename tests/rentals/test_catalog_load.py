"""Loading the data files into the catalog and the racks."""

from decimal import Decimal

import pytest

from billing import queries as billing_queries
from portal.kernel.money import Money
from rentals.models import Component, Configuration, GpuModel, Interconnect, Server, ServerModel, Unit, UnitClass, UnitKind
from rentals.services import catalog, inventory, reference

pytestmark = pytest.mark.django_db


def test_loading_twice_is_loading_once(now):
    first = catalog.load(now=now)
    before = list(Configuration.objects.values()), list(Component.objects.values()), list(GpuModel.objects.values())

    second = catalog.load(now=now)

    assert first == second
    assert (list(Configuration.objects.values()), list(Component.objects.values()), list(GpuModel.objects.values())) == before


def test_every_configuration_has_a_price_in_every_currency(now, settings):
    catalog.load(now=now)
    skus = set(Component.objects.values_list("unit_kind__sku", flat=True))

    for currency in settings.CURRENCIES:
        assert set(billing_queries.list_rates(skus=skus, currency=currency, now=now)) == skus


def test_a_price_is_carried_to_the_cent(now):
    catalog.load(now=now)

    assert billing_queries.list_rates(skus=["a100-80-x8"], currency="USD", now=now)["a100-80-x8"].amount == Money(Decimal("15.12"), "USD")


def test_a_load_writes_the_files_over_and_leaves_other_rows(now):
    catalog.load(now=now)
    Configuration.objects.filter(sku="a100-80-x8").update(name="Changed")
    own = Configuration.objects.create(sku="own", name="Own", name_zh="自有", summary="x", summary_zh="x", template="single_node", source="tests")
    Component.objects.create(configuration=Configuration.objects.get(sku="t4-x4"), unit_kind=UnitKind.objects.get(sku="l4-x8"), count=1)

    catalog.load(now=now)

    assert Configuration.objects.get(sku="a100-80-x8").name == "8 × A100 80 GB SXM4"
    assert Configuration.objects.filter(pk=own.pk).exists()
    assert Component.objects.filter(configuration__sku="t4-x4").count() == 1


def test_every_server_model_has_an_interconnect_that_is_known(now):
    catalog.load(now=now)

    known = set(Interconnect.objects.values_list("slug", flat=True))
    assert all(model.interconnect in known for model in ServerModel.objects.all())


def test_the_demo_fleet_stands_once_and_offers_every_configuration_somewhere(now):
    catalog.load(now=now)

    added = catalog.add_demo_fleet(now=now)

    assert added == Server.objects.count() == 30
    assert catalog.add_demo_fleet(now=now) == 0
    for configuration in Configuration.objects.all():
        sites = [set(UnitClass.objects.filter(kind=part.unit_kind).values_list("site", flat=True)) for part in configuration.components.all()]
        assert set.intersection(*sites), configuration.sku


def test_a_server_that_is_cut_offers_its_slices(now, cast):
    catalog.load(now=now)
    catalog.add_demo_fleet(now=now)
    server = Server.objects.filter(units__unit_class__kind__shape="mig").first()

    units = Unit.objects.filter(server=server)

    assert units.count() == 16
    assert {unit.unit_class.kind.sku for unit in units.select_related("unit_class__kind")} == {"a100-40-1g", "a100-40-2g", "a100-40-3g"}
    assert not units.filter(unit_class__kind__shape="whole").exists()


def test_an_unknown_layout_adds_no_server(now, cast):
    catalog.load(now=now)
    catalog.add_demo_fleet(now=now)
    there = Server.objects.get(serial="fra1-01")

    with pytest.raises(reference.UnknownLayout):
        inventory.add_server(
            serial="new",
            model=there.model,
            site=there.site,
            fabric=there.fabric,
            rack="R1",
            bmc_address="",
            engine="simulated",
            layout="x",
            by=cast.olu,
            now=now,
        )

    assert not Server.objects.filter(serial="new").exists()
