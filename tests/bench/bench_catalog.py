"""Median milliseconds of the catalog's page for a visitor, whole stack of middleware and all, with every shipped configuration and the demo's fleet; as
control a bare ORM read of what is on offer: the components with their kinds, and the prices."""

from __future__ import annotations

from tests.bench import database
from tests.bench.figure import Figure

TIMES = 40


def measure() -> Figure:
    with database.fresh():
        from django.conf import settings
        from django.test import Client
        from django.urls import reverse
        from django.utils import timezone

        from billing.models import Price
        from rentals.models import Component
        from rentals.services import catalog

        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
        now = timezone.now()
        catalog.load(now=now)
        catalog.add_demo_fleet(now=now)
        client, address = Client(), reverse("rentals:catalog")

        def page() -> None:
            answer = client.get(address)
            if answer.status_code != 200:
                raise RuntimeError(f"the catalog answered {answer.status_code}")

        def read() -> tuple[list, list]:
            offered = Component.objects.filter(configuration__is_offered=True)
            return list(offered.select_related("configuration", "unit_kind__gpu_model", "unit_kind__server_model")), list(Price.objects.all())

        ours, control = database.seconds(page, times=TIMES), database.seconds(read, times=TIMES)
        kinds = len({row.configuration_id for row in read()[0]})
    return Figure(
        ours=ours * 1000, control=control * 1000, unit="ms", told=f"the page over {kinds} configurations, with prices and availability, against a bare ORM read"
    )
