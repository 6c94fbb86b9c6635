"""An Agreement of Lovelace Labs that tests pay, use and end."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from billing.domain.pricing import Wanted
from billing.models import Agreement, Payment
from billing.services import agreements
from portal.kernel.period import Period
from tests.billing.counter import Counter

A100, T4 = "a100-sxm4-80-x8", "t4-x4"


class Till:
    """Plays rentals and the gateway: orders, pays, reports usage, ends."""

    def __init__(self, cast, racks, now: datetime) -> None:
        self.cast, self.racks, self.now = cast, racks, now
        self.orders = 0

    def order(self, *, hours: int = 72, wanted=None, organisation=None, during: Period | None = None, **more) -> str:
        self.orders += 1
        return agreements.open_pending(
            organisation=organisation or self.cast.lab,
            wanted=wanted or [Wanted(A100, "8 × A100 80 GB", Decimal(1))],
            during=during or Period.starting(self.now, timedelta(hours=hours)),
            reference=f"B-{1000 + self.orders}",
            path=f"/bookings/B-{1000 + self.orders}/",
            title="8 × A100 80 GB",
            by=self.cast.ada,
            now=self.now,
            **more,
        ).number

    def payment(self, number: str, amount: int | None = None) -> Payment:
        agreement = Agreement.objects.by_number(number).get()
        amount = agreement.gross_minor if amount is None else amount
        return Payment.objects.create(
            agreement=agreement, state="succeeded", amount_minor=amount, captured_minor=amount, currency=agreement.currency, started_at=self.now,
            settled_at=self.now,
        )  # fmt: skip

    def pay(self, number: str) -> str:
        """Pay in full; returns the invoice's number."""
        return agreements.open_on_payment(agreement=number, payment=self.payment(number), now=self.now)

    def buy(self, **order) -> str:
        number = self.order(**order)
        self.pay(number)
        return number

    def serve(
        self, number: str, start: timedelta, end: timedelta, *, position: int = 1, rental: str = "unit-1", kind: str = "served", quantity: int = 1
    ) -> bool:
        during = Period(self.now + start, self.now + end)
        return agreements.record_usage(
            number=number, position=position, source=f"{number}:{rental}:{kind}:{start}", rental=rental, during=during, quantity=Decimal(quantity), kind=kind,
            evidence={}, now=self.now,
        )  # fmt: skip

    def end(self, number: str):
        return agreements.end(number=number, now=self.now + timedelta(days=5))


@pytest.fixture
def till(cast, racks, now) -> Till:
    return Till(cast, racks, now)


@pytest.fixture
def counter(till, now, monkeypatch) -> Counter:
    """The counter at which `till`'s orders are paid, with a gateway in memory."""
    return Counter(till, now, monkeypatch)
