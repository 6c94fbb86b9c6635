"""What the gateway says of a payment becomes ours: under the lock of the Payment, once, whatever the order. A capture opens the Agreement in the same
transaction, or is given back when the Agreement can no longer be opened."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from billing.domain import payments as moves
from billing.gateways import base
from billing.models import Payment, PaymentAttempt
from billing.services import agreements, announcements, books, credits
from portal.accounts.services import audit
from portal.kernel.errors import Conflict
from portal.kernel.money import Money

log = logging.getLogger(__name__)
UNKNOWN, OPEN = PaymentAttempt.Outcome.UNKNOWN, PaymentAttempt.Outcome.OPEN
COMPLETED, EXPIRED = PaymentAttempt.Outcome.COMPLETED, PaymentAttempt.Outcome.EXPIRED


class CurrencyDiffers(Conflict):
    """The gateway holds this payment in another currency than it was asked for."""

    code = "currency_differs"


@transaction.atomic
def apply_intent(*, seen: base.IntentSeen, now: datetime) -> bool:
    """Move the Payment to what was seen at the gateway at `now`. Returns False when the payment is not ours. Raises CurrencyDiffers."""
    payment = _locked(seen.payment)
    if payment is None:
        return False
    if seen.amount.currency != payment.currency:
        raise CurrencyDiffers(_("The payment service reports %(seen)s, not %(asked)s.") % {"seen": seen.amount.currency, "asked": payment.currency})
    if payment.state == moves.SUCCEEDED:
        if seen.state == moves.SUCCEEDED and seen.id != payment.gateway_intent:
            _give_back_second(payment, seen, now)
        return True
    newer = payment.seen_at is None or now >= payment.seen_at
    state = moves.payment_after(current=payment.state, seen=seen.state, newer=newer)
    if state == moves.SUCCEEDED:
        _capture(payment, seen, now)
    elif newer and _is_latest(payment, seen):
        _note(payment, state, seen.failure, now)
    return True


@transaction.atomic
def apply_checkout(*, seen: base.CheckoutSeen, now: datetime) -> bool:
    """Move the attempt to what was seen of its checkout, and the Payment with it. Returns False when the checkout is not ours."""
    attempt = PaymentAttempt.objects.select_related("payment").filter(gateway_session=seen.id).first()
    if attempt is None:
        return False
    payment = _locked(attempt.payment.number)
    outcome = {"open": OPEN, "complete": COMPLETED, "expired": EXPIRED}[seen.state]
    PaymentAttempt.objects.filter(pk=attempt.pk, outcome__in=[UNKNOWN, OPEN]).update(outcome=outcome)
    if seen.intent is not None:
        apply_intent(seen=seen.intent, now=now)
    elif payment is not None and outcome == EXPIRED and payment.state == moves.STARTED and attempt.attempt == payment.attempts.count():
        _note(payment, moves.CANCELLED, "", now)
    _rest(attempt)
    return True


def _locked(number: str) -> Payment | None:
    return Payment.objects.by_number(number).select_related("agreement__account").select_for_update(of=("self",)).first()


def _is_latest(payment: Payment, seen: base.IntentSeen) -> bool:
    """Whether the news is of the newest attempt: what an older one comes to, short of money, no longer matters."""
    return seen.attempt == str(payment.attempts.count())


def _capture(payment: Payment, seen: base.IntentSeen, now: datetime) -> None:
    facts = {"captured_minor": seen.received.minor, "gateway_intent": seen.id, "failure": "", "settled_at": now, "seen_at": now}
    Payment.objects.filter(pk=payment.pk).update(state=moves.SUCCEEDED, **facts)
    payment.refresh_from_db(fields=["state", *facts])
    agreement = payment.agreement
    audit.record(
        verb="payment.settled", subject=payment.number, organisation=agreement.account.organisation_id, now=now, agreement=agreement.number,
        captured_minor=payment.captured_minor, currency=payment.currency,
    )  # fmt: skip
    try:
        agreements.open_on_payment(agreement=agreement.number, payment=payment, now=now)
    except (agreements.AgreementHasLapsed, agreements.AgreementIsOpen, agreements.PaidTooLittle) as refusal:
        _give_back(payment, refusal.message, now)


def _give_back(payment: Payment, reason: str, now: datetime) -> None:
    amount = Money.from_minor(payment.captured_minor, payment.currency)
    credits.want_refund(payment=payment, amount=amount, reason=reason, source=f"late:{payment.number}", now=now)
    agreement = payment.agreement
    announcements.announce(
        kind="late_payment_refunded", subject=agreement.number, now=now, agreement=agreement.number, reference=agreement.reference, amount=str(amount)
    )  # fmt: skip


def _give_back_second(payment: Payment, seen: base.IntentSeen, now: datetime) -> None:
    """Money that came twice for one Payment, through two checkouts, gets a row of its own and goes back."""
    if Payment.objects.filter(gateway_intent=seen.id).exists():
        return
    second = Payment.objects.create(
        agreement=payment.agreement, state=moves.SUCCEEDED, amount_minor=seen.amount.minor, currency=payment.currency, captured_minor=seen.received.minor,
        gateway_intent=seen.id, started_by_id=payment.started_by_id, started_at=now, settled_at=now, seen_at=now,
    )  # fmt: skip
    log.warning("payment %s came twice; %s is given back", payment.number, second.number)
    books.payment_settled(payment=second, now=now)
    _give_back(second, _("This was paid twice."), now)


def _note(payment: Payment, state: str, failure: str, now: datetime) -> None:
    """Any news short of money. A card that was declined is announced once for each time."""
    declined = state == moves.FAILED and (payment.state, payment.failure) != (state, failure)
    Payment.objects.filter(pk=payment.pk).update(state=state, failure=failure, seen_at=now)
    payment.state, payment.failure, payment.seen_at = state, failure, now
    if declined:
        agreement = payment.agreement
        announcements.announce(
            kind="payment_failed", subject=agreement.number, now=now, agreement=agreement.number, reference=agreement.reference, reason=failure
        )  # fmt: skip


def _rest(attempt: PaymentAttempt) -> None:
    """Nobody need look again at an attempt that is over, unless its payment is still on its way."""
    waiting = Payment.objects.filter(pk=attempt.payment_id, state__in=[moves.PROCESSING, moves.ACTION]).exists()
    over = PaymentAttempt.objects.filter(pk=attempt.pk).exclude(outcome__in=[UNKNOWN, OPEN])
    if not waiting:
        over.update(next_look_at=None)
