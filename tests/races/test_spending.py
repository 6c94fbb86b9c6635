"""Two orders at one instant never exceed the month's limit together."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from threading import Barrier

import pytest
from django.db import connection

from billing.domain.pricing import Wanted
from billing.models import Agreement, BillingAccount
from billing.services import agreements, parties
from portal.kernel.period import Period
from tests import world

BUYERS = 6


def order_at_once(cast, now) -> list[bool]:
    """Six orders of 179.93 at the same moment; which were accepted."""
    start = Barrier(BUYERS)

    def order(place: int) -> bool:
        try:
            start.wait(timeout=20)
            agreements.open_pending(
                organisation=cast.lab, wanted=[Wanted("a100-sxm4-80-x8", "A", Decimal(1))], during=Period.starting(now, timedelta(hours=10)),
                reference=f"B-{place}", path="/", title="A", by=cast.ada, now=now,
            )  # fmt: skip
        except agreements.SpendCapReached:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(BUYERS) as pool:
        return list(pool.map(order, range(BUYERS)))


@pytest.fixture
def cast(transactional_db, now) -> world.Cast:
    cast = world.cast(now)
    world.racks(now)
    cast.lab.spend_cap_minor = 40_000
    parties.account_for(organisation=cast.lab)
    return cast


def test_of_six_orders_at_once_only_what_the_limit_holds_is_accepted(cast, now):
    accepted = order_at_once(cast, now)

    assert sum(accepted) == Agreement.objects.count() == 2


def test_the_control_without_the_lock_exceeds_the_limit(cast, now, monkeypatch):
    meeting = Barrier(BUYERS)

    def counted(**facts):
        committed = original(**facts)
        meeting.wait(timeout=20)
        return committed

    original = agreements.committed_minor
    monkeypatch.setattr(agreements, "committed_minor", counted)
    monkeypatch.setattr(BillingAccount.objects, "select_for_update", BillingAccount.objects.all)

    assert sum(order_at_once(cast, now)) == BUYERS
