"""Refunds on their way: the row is committed first, sent with its own key, and follows what the gateway says until the bank has the last word."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from billing.domain import document, gateway_amounts
from billing.domain import payments as moves
from billing.gateways import base
from billing.models import Document, DocumentStatus, Payment, Refund
from billing.services import credits, gateway
from portal.accounts import queries as people
from portal.accounts.domain import roles
from portal.accounts.services import audit, notifications
from portal.kernel.errors import Conflict, InvalidInput, NotFound
from portal.kernel.money import Money

log = logging.getLogger(__name__)
WANTED, PENDING, SUCCEEDED, FAILED = Refund.State.WANTED, Refund.State.PENDING, Refund.State.SUCCEEDED, Refund.State.FAILED


class NothingToRefund(Conflict):
    """This payment holds nothing that could be refunded."""

    code = "nothing_to_refund"


@dataclass(frozen=True, slots=True)
class ByHand:
    """What a refund by hand would do. `owed` is what the customer has to get back by credit notes; `reopened` is the part beyond that, for which the invoice
    would count as unpaid again."""

    payment: str
    amount: Money
    left: Money
    owed: Money
    reopened: Money
    invoice: str


def send(*, refund: str, now: datetime) -> None:
    """Ask the gateway for a wanted Refund, or look how a pending one stands, when its time has come. A repeat, and a ring that was early, do nothing. Raises
    base.OutcomeUnknown; the row is due again after a pause then."""
    row = _claim(refund, now)
    if row is None:
        return
    try:
        seen = _look(row) if row.state == PENDING else _sent(row)
    except (base.Refused, gateway_amounts.NotSendable) as error:
        _refused(row, str(error), now)
    except base.OutcomeUnknown as error:
        Refund.objects.filter(pk=row.pk).update(last_error=str(error)[:300])
        log.warning("refund %s: %s", row.number, error)
        raise
    else:
        apply(seen=seen, now=now)


def due(*, now: datetime, limit: int = 50) -> list[str]:
    """Numbers of Refunds whose ring was lost or whose time to be looked at has come."""
    rows = Refund.objects.filter(state__in=[WANTED, PENDING], next_attempt_at__lte=now).order_by("next_attempt_at", "id")[:limit]
    return [row.number for row in rows]


@transaction.atomic
def apply(*, seen: base.RefundSeen, now: datetime) -> bool:
    """Move the Refund to what was seen at the gateway; one that was made there by hand gets a row. Returns False when no Payment of ours captured that
    money (yet)."""
    payment = Payment.objects.select_related("agreement__account").select_for_update(of=("self",)).filter(gateway_intent=seen.intent).first()
    if payment is None:
        return False
    row = _row_of(payment, seen) or _adopt(payment, seen, now)
    state = moves.refund_after(current=row.state, seen=seen.state)
    if (state, row.gateway_refund) != (row.state, seen.id):
        _move(row, state, seen, now)
    return True


@transaction.atomic
def want_by_hand(*, payment: str, amount: Money, reason: str, token: str, by: Any, now: datetime) -> str:
    """Finance gives money back. The same `token` again gives the same Refund. Returns its number. Raises NotFound, InvalidInput, NothingToRefund and
    credits.RefundExceedsCaptured."""
    row = Payment.objects.by_number(payment).select_related("agreement__account").select_for_update(of=("self",)).first()
    if row is None:
        raise NotFound()
    source = f"hand:{row.number}:{token}"
    earlier = Refund.objects.filter(source=source).first()
    if earlier is not None:
        return earlier.number
    if not reason.strip():
        raise InvalidInput(_("Say why: the reason stays in the books."), field="reason")
    _check_amount(row, amount)
    wanted = credits.want_refund(payment=row, amount=amount, reason=reason.strip()[:300], source=source, now=now, invoice=_invoice_of(row))
    audit.record(
        verb="refund.by_hand", subject=wanted.number, by=by, organisation=row.agreement.account.organisation_id, now=now, payment=row.number,
        amount_minor=amount.minor, currency=amount.currency, reason=reason,
    )  # fmt: skip
    return wanted.number


def preview_by_hand(*, payment: str, amount: Money) -> ByHand:
    """What want_by_hand would do now; raises as it does."""
    row = Payment.objects.by_number(payment).select_related("agreement").first()
    if row is None:
        raise NotFound()
    _check_amount(row, amount)
    invoice = _invoice_of(row)
    owed = min(_owed(invoice), amount) if invoice else amount
    left = Money.from_minor(row.captured_minor - row.refunded_minor, row.currency) - amount
    return ByHand(row.number, amount, left, owed, amount - owed, invoice.number if invoice else "")


def _check_amount(payment: Payment, amount: Money) -> None:
    left = Money.from_minor(payment.captured_minor - payment.refunded_minor, payment.currency)
    if not left:
        raise NothingToRefund(_("This payment holds nothing that could be refunded."))
    if amount.currency != payment.currency:
        raise InvalidInput(_("A payment is refunded in its own currency."), field="amount")
    if not Money.zero(amount.currency) < amount <= left:
        raise InvalidInput(_("Enter an amount above 0 and up to %(left)s.") % {"left": left}, field="amount")
    gateway_amounts.to_gateway(amount)


def _invoice_of(payment: Payment) -> Document | None:
    """The invoice that this payment paid; None for money that came too late or twice, which paid nothing."""
    invoice = payment.agreement.documents.filter(kind=Document.Kind.INVOICE).first()
    return invoice if invoice and invoice.snapshot.get("payment", {}).get("number") == payment.number else None


def _owed(invoice: Document) -> Money:
    status = DocumentStatus.objects.get(document=invoice)
    still_open = document.open_minor(
        gross=invoice.gross_minor, paid=status.paid_minor, credited=status.credited_minor, refunded=status.refunded_minor
    )  # fmt: skip
    return Money.from_minor(max(0, -still_open), invoice.currency)


@transaction.atomic
def _claim(number: str, now: datetime) -> Refund | None:
    """The Refund, if it is due, with its next look put off: whoever comes second finds it not due."""
    row = Refund.objects.by_number(number).select_related("payment").select_for_update(of=("self",)).first()
    if row is None or row.state not in (WANTED, PENDING) or row.next_attempt_at is None or row.next_attempt_at > now:
        return None
    row.attempts += 1
    row.next_attempt_at = now + moves.pause_before_retry(attempts=row.attempts)
    row.save(update_fields=["attempts", "next_attempt_at"])
    return row


def _look(row: Refund) -> base.RefundSeen:
    return gateway.current().refund_now(id=row.gateway_refund or "")


def _sent(row: Refund) -> base.RefundSeen:
    """Ask for the refund. After an unknown outcome look first: the gateway forgets keys after a day, and would refund twice."""
    intent = row.payment.gateway_intent or ""
    amount = gateway_amounts.to_gateway(Money.from_minor(row.amount_minor, row.currency))
    if row.attempts > 1:
        earlier = [seen for seen in gateway.current().refunds_of(intent=intent) if seen.refund == row.number]
        if earlier:
            return earlier[0]
    return gateway.current().refund(wish=base.RefundWish(key=f"refund:{row.number}", intent=intent, amount=amount, refund=row.number))


def _row_of(payment: Payment, seen: base.RefundSeen) -> Refund | None:
    rows = Refund.objects.select_related("payment__agreement__account").select_for_update(of=("self",)).filter(payment=payment)
    return rows.filter(gateway_refund=seen.id).first() or rows.by_number(seen.refund).filter(gateway_refund__isnull=True).first()


def _adopt(payment: Payment, seen: base.RefundSeen, now: datetime) -> Refund:
    """A row for a refund that someone made at the gateway itself. Raises credits.RefundExceedsCaptured while refunds of ours on their way stand against it."""
    reason = _("Refunded at the payment service.")
    row = credits.want_refund(payment=payment, amount=seen.amount, reason=reason, source=f"gateway:{seen.id}", now=now, invoice=_invoice_of(payment))
    _tell_finance("refund_outside", row, "", now)
    return row


def _move(row: Refund, state: str, seen: base.RefundSeen, now: datetime) -> None:
    before = row.state
    over = state in (SUCCEEDED, FAILED)
    row.state, row.gateway_refund, row.last_error = state, seen.id, seen.failure[:300]
    row.settled_at = now if over else None
    row.next_attempt_at = None if over else now + moves.pause_before_look(looks=row.attempts)
    row.save(update_fields=["state", "gateway_refund", "last_error", "settled_at", "next_attempt_at"])
    if state == before:
        return
    if state == SUCCEEDED:
        credits.refund_settled(refund=row, now=now)
    if state == FAILED:
        _put_back(row, now)
    _record(row, now)


def _put_back(row: Refund, now: datetime) -> None:
    credits.refund_failed(refund=row, now=now)
    _tell_finance("refund_failed", row, row.last_error, now)


@transaction.atomic
def _refused(row: Refund, why: str, now: datetime) -> None:
    """The gateway will not do it: the money is owed again and finance must look."""
    Payment.objects.select_for_update().get(pk=row.payment_id)
    if Refund.objects.filter(pk=row.pk, state=WANTED).update(state=FAILED, last_error=why[:300], settled_at=now, next_attempt_at=None):
        row.state, row.last_error = FAILED, why[:300]
        _put_back(row, now)
        _record(row, now)


def _record(row: Refund, now: datetime) -> None:
    organisation = row.payment.agreement.account.organisation_id
    audit.record(
        verb=f"refund.{row.state}", subject=row.number, organisation=organisation, now=now, payment=row.payment.number, amount_minor=row.amount_minor,
        currency=row.currency, error=row.last_error,
    )  # fmt: skip


def _tell_finance(kind: str, row: Refund, why: str, now: datetime) -> None:
    amount = Money.from_minor(row.amount_minor, row.currency)
    path = reverse("billing:payment", args=[row.payment.number])
    notifications.notify(
        users=people.staff_of(roles.FINANCE), kind=kind, key=f"{kind}:{row.number}", subject=row.number, path=path, now=now, refund=row.number,
        payment=row.payment.number, amount=str(amount), reason=why,
    )  # fmt: skip
