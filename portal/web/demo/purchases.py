"""What the demo's customer has bought: held, paid on the stand-in's checkout like anybody's, and then left to the workers."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

import httpx
from django.conf import settings

from billing.services import payments
from portal.accounts import queries as accounts
from portal.accounts.services import ssh_keys
from portal.kernel.period import Period
from rentals.domain import lifecycle
from rentals.queries import availability, wishes
from rentals.queries import bookings as booked
from rentals.services import bookings

log = logging.getLogger(__name__)

# (sku, begins after, hours): one that runs at once, one small, one ahead
WANTED = (("a100-80-x4", timedelta(0), 72), ("a100-40-2g", timedelta(0), 48), ("v100-32-x8", timedelta(days=2), 24))
CARD = "4242424242424242"
# A well-formed key of which nobody has the other half.
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxvdmVsYWNlLWxhYnMtZGVtby1rZXktbm8tb3RoZXIt ada@lovelace"


class CheckoutFailed(RuntimeError):
    """The stand-in's checkout did not take the card's form."""


def make(*, customer: Any, now: datetime) -> int:
    """Buy what is WANTED unless the customer's organisation rents something already; returns how many Bookings were paid. Nothing is bought where payments
    go anywhere but to the stand-in on loopback."""
    lab = accounts.current_organisation(customer)
    rented = booked.listing(organisation=lab, filters={}).page.items
    if any(row.state in lifecycle.LIVE_BOOKING for row in rented):
        return 0
    if not settings.STRIPE_API_BASE.startswith("http://127.0.0.1:"):
        log.warning("no demo bookings: payments go to %s", settings.STRIPE_API_BASE)
        return 0
    for sku, after, hours in WANTED:
        _buy(customer, lab, sku, after, hours, now)
    return len(WANTED)


def _buy(customer: Any, lab: Any, sku: str, after: timedelta, hours: int, now: datetime) -> None:
    configuration = wishes.configuration_for(sku)
    start = now + after if after else availability.earliest_now(configuration=configuration, now=now)
    booking = bookings.order(
        by=customer,
        organisation=lab,
        wish={"configuration": configuration, "quantity": 1, "during": Period.starting(start, timedelta(hours=hours))},
        image=wishes.choices(configuration=configuration, user=customer, now=now).images[0],
        ssh_keys=[_key(customer, now)],
        now=now,
    )
    back = f"{settings.BASE_URL}/bookings/{booking.number}/"
    checkout = payments.start_checkout(agreement=booking.agreement, by=customer, success_url=back, cancel_url=back, now=now)
    answer = httpx.post(checkout, data={"card": CARD}, timeout=20, trust_env=False)
    if not answer.is_redirect:  # back to the portal, whether the card was taken or not
        raise CheckoutFailed(f"{checkout} answered {answer.status_code}")
    payments.refresh(agreement=booking.agreement, now=now)


def _key(customer: Any, now: datetime) -> dict[str, str]:
    keys = accounts.ssh_keys_of(customer) or [ssh_keys.add(user=customer, name="laptop", text=KEY, by=customer, now=now)]
    return {name: getattr(keys[0], name) for name in ("name", "public_key", "fingerprint")}
