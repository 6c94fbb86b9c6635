"""How payments stand. Loaders authorise: whoever may book or pay for the Organisation, and finance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from billing.models import Agreement, Document, Payment, PaymentAttempt, Refund
from portal.accounts import queries as people
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from portal.kernel.money import Money

MAY_PAY = tuple(dict.fromkeys((*roles.BOOKERS, *roles.PAYERS)))
DECLINED, ACTION, PROCESSING = Payment.State.FAILED, Payment.State.ACTION, Payment.State.PROCESSING


@dataclass(frozen=True, slots=True)
class Progress:
    """How the payment of one Agreement stands, for the page that a checkout returns to.

    stage: paid | processing | declined | unpaid (not started, or left) | expired (the checkout) | refunding | refunded (paid too late, given back) | lapsed.
    `is_settled` says that nothing more happens by itself; `is_reached` is False when the gateway did not answer just now.
    """

    agreement: str
    reference: str
    title: str
    path: str
    gross: Money
    stage: str
    failure: str = ""
    invoice: str = ""
    has_tried: bool = False
    is_reached: bool = True

    @property
    def is_settled(self) -> bool:
        return self.stage not in ("processing", "refunding") and self.is_reached

    @property
    def can_pay(self) -> bool:
        return self.stage in ("unpaid", "declined", "expired")


@dataclass(frozen=True, slots=True)
class RefundLine:
    number: str
    amount: Money
    state: str
    reason: str
    wanted_at: datetime
    settled_at: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class PaymentLine:
    """A Payment with what became of it. `left` can still be refunded; `attempts` are the checkouts tried."""

    number: str
    agreement: str
    reference: str
    path: str
    organisation: int
    state: str
    amount: Money
    captured: Money
    refunded: Money
    left: Money
    failure: str
    gateway_intent: str
    started_at: datetime
    settled_at: datetime | None
    attempts: int
    refunds: tuple[RefundLine, ...]


def agreement_to_pay(*, user: Any, number: str) -> str:
    """The number of an Agreement that `user` may pay; raises NotFound and NotAllowed."""
    return _agreement_for(user, number, ())


def agreement_to_follow(*, user: Any, number: str) -> str:
    """The number of an Agreement whose payment `user` may follow: who may pay it, and finance. Raises NotFound and NotAllowed."""
    return _agreement_for(user, number, (roles.FINANCE,))


def _agreement_for(user: Any, number: str, staff: tuple[str, ...]) -> str:
    row = Agreement.objects.by_number(number).select_related("account").first()
    if row is None:
        raise NotFound()
    people.check_role(user, row.account.organisation_id, roles=MAY_PAY, staff=staff)
    return row.number


def progress(*, agreement: str) -> Progress:
    """How the payment of this Agreement stands, from our own rows; raises NotFound. The caller has checked the role."""
    row = Agreement.objects.by_number(agreement).first()
    if row is None:
        raise NotFound()
    payments = Payment.objects.filter(agreement=row, attempts__isnull=False).distinct().order_by("id")
    payment = payments.first()
    attempt = PaymentAttempt.objects.filter(payment=payment).order_by("-attempt").first() if payment else None
    return Progress(
        agreement=row.number,
        reference=row.reference,
        title=row.title,
        path=row.path,
        gross=Money.from_minor(row.gross_minor, row.currency),
        stage=_stage(row, payment, attempt),
        failure=payment.failure if payment else "",
        invoice=_invoice(row),
        has_tried=attempt is not None,
    )


def _stage(agreement: Agreement, payment: Payment | None, attempt: PaymentAttempt | None) -> str:
    if agreement.state in (Agreement.State.OPEN, Agreement.State.ENDED):
        return "paid"
    if payment is not None and payment.state == Payment.State.SUCCEEDED:
        waiting = payment.refunds.exclude(state=Refund.State.SUCCEEDED).exists()
        return "refunding" if waiting else "refunded"
    if agreement.state == Agreement.State.LAPSED:
        return "lapsed"
    if payment is None:
        return "unpaid"
    if payment.state in (PROCESSING, ACTION):
        return "processing"
    if payment.state == DECLINED:
        return "declined"
    over = attempt is not None and attempt.outcome in (PaymentAttempt.Outcome.EXPIRED, PaymentAttempt.Outcome.REFUSED)
    return "expired" if over else "unpaid"


def _invoice(agreement: Agreement) -> str:
    numbers = Document.objects.filter(agreement=agreement, kind=Document.Kind.INVOICE).order_by("id").values_list("number", flat=True)
    return numbers.first() or ""


def payment_for(*, user: Any, number: str) -> PaymentLine:
    """One Payment, for those who may see it; raises NotFound and NotAllowed."""
    row = _payments(Payment.objects.by_number(number)).first()
    if row is None:
        raise NotFound()
    people.check_role(user, row.agreement.account.organisation_id, roles=roles.PAYERS, staff=[roles.FINANCE])
    return _line(row)


def payments_of_document(*, user: Any, number: str) -> list[PaymentLine]:
    """The Payments behind a Document, oldest first; raises NotFound and NotAllowed."""
    document = Document.objects.filter(number=number).select_related("account").first()
    if document is None:
        raise NotFound()
    people.check_role(user, document.account.organisation_id, roles=roles.PAYERS, staff=[roles.FINANCE])
    return [_line(row) for row in _payments(Payment.objects.filter(Q(agreement__documents=document)).order_by("id"))]


def _payments(rows: Any) -> Any:
    return rows.select_related("agreement__account").prefetch_related("refunds", "attempts")


def _line(row: Payment) -> PaymentLine:
    def money(minor: int) -> Money:
        return Money.from_minor(minor, row.currency)

    refunds = sorted(row.refunds.all(), key=lambda refund: refund.pk)
    return PaymentLine(
        number=row.number,
        agreement=row.agreement.number,
        reference=row.agreement.reference,
        path=row.agreement.path,
        organisation=row.agreement.account.organisation_id,
        state=row.state,
        amount=money(row.amount_minor),
        captured=money(row.captured_minor),
        refunded=money(row.refunded_minor),
        left=money(row.captured_minor - row.refunded_minor),
        failure=row.failure,
        gateway_intent=row.gateway_intent or "",
        started_at=row.started_at,
        settled_at=row.settled_at,
        attempts=len(row.attempts.all()),
        refunds=tuple(_refund(refund) for refund in refunds),
    )


def _refund(row: Refund) -> RefundLine:
    amount = Money.from_minor(row.amount_minor, row.currency)
    return RefundLine(row.number, amount, row.state, row.reason, row.wanted_at, row.settled_at, row.last_error)
