"""Demo data, made by calling the services that people call. A repeat adds only what is missing."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from billing.services import parties
from monitoring.services import agents
from portal.web.demo import people, purchases
from rentals.services import catalog

SELLER = {
    "name": "GPU Rental Demo GmbH", "street": "Hauptstraße 5", "city": "Frankfurt am Main", "postal_code": "60311", "country": "DE", "tax_id": "DE129273398",
    "email": "billing@portal.example", "iban": "DE89370400440532013000", "bic": "COBADEFFXXX", "bank_name": "Demo Bank", "accounting_currency": "EUR",
    "time_zone": "Europe/Berlin",
}  # fmt: skip


class NotADemo(ImproperlyConfigured):
    """Demo data has well-known passwords: it is loaded only where PORTAL_DEMO is on."""


def fill(*, now: datetime) -> None:
    """Load everything and buy what the demo shows; needs the Stripe stand-in. Raises NotADemo."""
    customer = load(now=now)
    purchases.make(customer=customer, now=now)


def load(*, now: datetime) -> Any:
    """Load people, seller, catalog and fleet, and leave word of the log-ins and the agents' tokens in the state folder. Returns the customer. Raises
    NotADemo."""
    if not settings.DEMO:
        raise NotADemo(NotADemo.__doc__)
    customer = people.gather(now=now)
    parties.set_up_seller(slug="demo", by=None, now=now, **SELLER)
    catalog.load(now=now)
    catalog.add_demo_fleet(now=now)
    agents.fleet_file(path=settings.VAR / "fleet.json", now=now)
    (settings.VAR / "demo.json").write_text(json.dumps({"people": people.log_ins()}))
    return customer
