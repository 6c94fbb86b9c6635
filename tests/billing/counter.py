"""The counter at which tests pay: Lovelace Labs' Agreements on one side, the vendor in memory on the other."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q, Sum

from billing.models import Agreement, Entry, Posting, Refund
from billing.services import gateway, gateway_events, payments, refunds
from tests.billing.vendor import Vendor


class Counter:
    """`now` stands still; `later` (seconds) says how much later something happens."""

    def __init__(self, till, now: datetime, monkeypatch) -> None:
        self.till, self.now, self.cast = till, now, till.cast
        self.vendor = Vendor()
        self._monkeypatch = monkeypatch
        self.take_the_till()

    def take_the_till(self) -> None:
        """Let the services speak to this vendor."""
        self._monkeypatch.setattr(gateway, "current", lambda: self.vendor)

    def order(self, **more) -> str:
        return self.till.order(**more)

    def at(self, later: int) -> datetime:
        return self.now + timedelta(seconds=later)

    def start(self, number: str, later: int = 0) -> str:
        return payments.start_checkout(
            agreement=number, by=self.cast.ada, success_url="http://portal/paid/", cancel_url="http://portal/left/", now=self.at(later)
        )

    def refresh(self, number: str, later: int = 0, unless_within: int = 0):
        return payments.refresh(agreement=number, now=self.at(later), unless_within=timedelta(seconds=unless_within))

    def sweep(self, later: int = 0) -> None:
        payments.sweep(now=self.at(later))

    def deliver(self, event, later: int = 0) -> None:
        """The event arrives, and its task runs."""
        gateway_events.apply(event_id=gateway_events.receive(body=self.vendor.body(event), signature="signed", now=self.at(later)), now=self.at(later))

    def deliver_all(self, later: int = 0) -> None:
        for event in list(self.vendor.events):
            self.deliver(event, later)

    def send_refunds(self, later: int = 0) -> None:
        for row in Refund.objects.filter(state="wanted"):
            refunds.send(refund=row.number, now=self.at(later))

    def buy(self, **more) -> str:
        """An Agreement that was paid; returns its number."""
        number = self.order(**more)
        self.start(number)
        self.vendor.card(f"cs_{len(self.vendor.checkouts)}")
        self.deliver_all()
        return number


def books_of(agreement: str) -> dict[str, int]:
    """The balance of each ledger account over the entries of this Agreement's Payments, Refunds and Documents."""
    row = Agreement.objects.by_number(agreement).get()
    ours = Q(payment__agreement=row) | Q(refund__payment__agreement=row) | Q(document__agreement=row)
    postings = Posting.objects.filter(entry__in=Entry.objects.filter(ours)).values("account__code").annotate(balance=Sum("amount_minor"))
    return {each["account__code"]: each["balance"] for each in postings.order_by("account__code")}
