"""Which postings a business fact makes. Signed: debit positive, credit negative; each entry sums to zero."""

from __future__ import annotations

from dataclasses import dataclass

from portal.kernel.money import Money

RECEIVABLES, DEFERRED, REVENUE, TAX = "receivables", "deferred_revenue", "revenue", "tax_payable"
CLEARING, REFUNDS = "gateway_clearing", "refunds_payable"
ACCOUNTS = {
    RECEIVABLES: "Receivables",
    DEFERRED: "Deferred revenue",
    REVENUE: "Revenue",
    TAX: "Tax payable",
    CLEARING: "Gateway clearing",
    REFUNDS: "Refunds payable",
}


class Unbalanced(ValueError):
    """The postings of an entry do not sum to zero."""


@dataclass(frozen=True, slots=True)
class Leg:
    account: str
    amount: Money
    of_customer: bool = False


@dataclass(frozen=True, slots=True)
class Booked:
    """One entry before it is written. `key` makes it exactly once."""

    key: str
    kind: str
    legs: tuple[Leg, ...]

    def __post_init__(self) -> None:
        if sum(leg.amount.minor for leg in self.legs) != 0 or len({leg.amount.currency for leg in self.legs}) > 1:
            raise Unbalanced(self.key)


def document_issued(*, number: str, kind: str, net: Money, tax: Money, unserved: Money | None = None) -> Booked:
    """An invoice defers its net until it is served. A credit note (negative amounts) takes back what was never served, `unserved`, from the deferred part
    and the rest from revenue; by default all of it was never served."""
    deferred = net if unserved is None else unserved
    legs = (
        Leg(RECEIVABLES, net + tax, of_customer=True),
        Leg(DEFERRED, -deferred),
        Leg(REVENUE, deferred - net),
        Leg(TAX, -tax),
    )
    return _entry(f"document:{number}", kind, legs)


def revenue_served(*, agreement: str, net: Money) -> Booked:
    """What was served stops being deferred."""
    return _entry(f"served:{agreement}", "revenue_served", (Leg(DEFERRED, net), Leg(REVENUE, -net)))


def payment_settled(*, payment: str, amount: Money) -> Booked:
    """The gateway holds the money; the customer owes that much less. Before an invoice exists that is a credit of his."""
    return _entry(f"payment:{payment}", "payment_settled", (Leg(CLEARING, amount), Leg(RECEIVABLES, -amount, of_customer=True)))


def refund_wanted(*, refund: str, amount: Money) -> Booked:
    """What the customer is to get back leaves his account and becomes a debt of ours."""
    return _entry(f"refund-wanted:{refund}", "refund_wanted", (Leg(RECEIVABLES, amount, of_customer=True), Leg(REFUNDS, -amount, of_customer=True)))


def refund_settled(*, refund: str, amount: Money) -> Booked:
    """The gateway paid it back."""
    return _entry(f"refund:{refund}", "refund_settled", (Leg(REFUNDS, amount, of_customer=True), Leg(CLEARING, -amount)))


def refund_failed(*, refund: str, amount: Money, was_settled: bool) -> Booked:
    """The refund came back: the customer has his credit again. A refund that had been reported as settled returns to the clearing account as well."""
    legs = (Leg(RECEIVABLES, -amount, of_customer=True), Leg(CLEARING if was_settled else REFUNDS, amount, of_customer=not was_settled))
    return _entry(f"refund-failed:{refund}", "refund_failed", legs)


def _entry(key: str, kind: str, legs: tuple[Leg, ...]) -> Booked:
    return Booked(key, kind, tuple(leg for leg in legs if leg.amount))
