"""Collecting what an Agreement costs through a hosted checkout. The attempt is a committed row before the gateway hears of it; nothing is asked of the
gateway inside a transaction; what is unknown is asked again with the same key and the same request."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from billing.domain import gateway_amounts
from billing.domain import payments as moves
from billing.gateways import base
from billing.models import Agreement, BillingAccount, Payment, PaymentAttempt
from billing.queries import payments as found
from billing.services import captures, gateway, gateway_events, refunds
from portal.accounts import queries as people
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, DomainError, NotFound
from portal.kernel.money import Money

log = logging.getLogger(__name__)
UNKNOWN, OPEN, REFUSED = PaymentAttempt.Outcome.UNKNOWN, PaymentAttempt.Outcome.OPEN, PaymentAttempt.Outcome.REFUSED
CHECKOUT_LIFE = timedelta(minutes=60)  # the gateway wants at least 30; a hold that lapses earlier closes its checkout
KEYS_KEPT_FOR = timedelta(hours=23)


class NotPayable(Conflict):
    """This booking cannot be paid any more: its hold has ended."""

    code = "not_payable"


class PaymentUnderWay(Conflict):
    """A payment for this booking is being processed. It settles by itself; please do not pay again."""

    code = "payment_under_way"


class TooManyAttempts(Conflict):
    """Too many payments were started today."""

    status = 429
    code = "too_many_attempts"


def start_checkout(*, agreement: str, by: Any, success_url: str, cancel_url: str, now: datetime) -> str:
    """The address of the hosted checkout on which `agreement` is paid: the one still open, else a new one; `success_url` itself when it was paid meanwhile.
    Raises NotFound, NotPayable, PaymentUnderWay, TooManyAttempts, NotSendable, GatewayRefused and GatewayUnavailable; nothing is lost by any of them."""
    attempt = _unfinished(agreement)
    if attempt is not None:
        address = _carried_on(attempt, now)
        if address is not None:
            return address or success_url
    attempt = _next_attempt(agreement, by, success_url, cancel_url, now)
    return attempt.url or _opened(attempt, now)


def refresh(*, agreement: str, now: datetime, unless_within: timedelta = timedelta(0)) -> found.Progress:
    """Read the gateway's objects again and apply them, unless that was done `unless_within` of now (a page that asks by itself); tells how the payment
    stands. Raises NotFound."""
    attempt = PaymentAttempt.objects.select_related("payment").filter(payment__agreement__in=_by_number(agreement)).order_by("-id").first()
    if attempt is None or not _worth_a_look(attempt, now - unless_within):
        return found.progress(agreement=agreement)
    try:
        look(attempt=attempt.pk, now=now)
    except (base.OutcomeUnknown, base.Refused, DomainError) as error:
        log.warning("payment %s could not be read again: %s", attempt.payment.number, error)
        return dataclasses.replace(found.progress(agreement=agreement), is_reached=False)
    return found.progress(agreement=agreement)


def look(*, attempt: int, now: datetime) -> None:
    """Read one attempt's checkout at the gateway and apply it; close it when its Agreement waits for no payment any more; ask again for one of unknown
    outcome."""
    row = PaymentAttempt.objects.select_related("payment__agreement").get(pk=attempt)
    if row.outcome == UNKNOWN:
        _ask_again(row, now)
        return
    seen = gateway.current().checkout(id=row.gateway_session)
    if seen.state == "open" and row.payment.agreement.state != Agreement.State.PENDING:
        seen = _closed(row, seen)
    captures.apply_checkout(seen=seen, now=now)


def sweep(*, now: datetime) -> None:
    """Whatever a lost ring, a missing message or a gateway that was away has left behind: events, refunds, attempts, and the gateway's own list. A row that
    fails stays due and does not stop the others; a gateway that is away ends this sweep."""
    for event_id in gateway_events.due(now=now):
        gateway_events.apply(event_id=event_id, now=now)
    try:
        for number in refunds.due(now=now):
            _spared(functools.partial(refunds.send, refund=number, now=now))
        for attempt in _due_for_a_look(now):
            _spared(functools.partial(look, attempt=attempt, now=now))
        gateway_events.fetch_missed(now=now)
    except (base.OutcomeUnknown, gateway.GatewayUnavailable) as error:
        log.warning("the sweep of payments stopped: %s", error)


def _spared(act: Callable[[], None]) -> None:
    """Do it; a refusal costs this one row only."""
    try:
        act()
    except gateway.GatewayUnavailable:
        raise
    except (base.Refused, DomainError) as error:
        log.warning("one row of the sweep of payments failed: %s", error)


def _by_number(agreement: str) -> Any:
    return Agreement.objects.by_number(agreement)


def _unfinished(agreement: str) -> PaymentAttempt | None:
    rows = PaymentAttempt.objects.select_related("payment__agreement").filter(payment__agreement__in=_by_number(agreement), outcome__in=[UNKNOWN, OPEN])
    return rows.first()


def _worth_a_look(attempt: PaymentAttempt, latest: datetime) -> bool:
    """Whether the gateway may have news: not of money that came, and not when it was read after `latest`."""
    if attempt.payment.state == moves.SUCCEEDED or attempt.outcome == REFUSED:
        return False
    return attempt.payment.seen_at is None or attempt.payment.seen_at <= latest


def _carried_on(attempt: PaymentAttempt, now: datetime) -> str | None:
    """The address of an attempt that is still good, "" when it was paid meanwhile, None when another attempt is needed."""
    if attempt.outcome == UNKNOWN:
        try:
            return _opened(attempt, now)
        except gateway.GatewayRefused:
            return None
    try:
        seen = gateway.current().checkout(id=attempt.gateway_session)
    except base.OutcomeUnknown as error:
        raise gateway.GatewayUnavailable() from error
    captures.apply_checkout(seen=seen, now=now)
    if seen.state == "open":
        return seen.url
    paid = seen.intent is not None and seen.intent.state in (moves.SUCCEEDED, moves.PROCESSING)
    return "" if paid else None


@transaction.atomic(durable=True)
def _next_attempt(agreement: str, by: Any, success_url: str, cancel_url: str, now: datetime) -> PaymentAttempt:
    """A committed row for the next checkout, or the one that another click has written meanwhile."""
    row = _by_number(agreement).select_related("account").first()
    if row is None:
        raise NotFound()
    BillingAccount.objects.select_for_update().get(pk=row.account_id)
    payment = Payment.objects.select_for_update(of=("self",)).filter(agreement=row, attempts__isnull=False).order_by("id").first()
    row = Agreement.objects.select_for_update(of=("self",)).select_related("account__organisation").get(pk=row.pk)
    unfinished = _unfinished(agreement)
    if unfinished is not None:
        return unfinished
    _refuse_what_cannot_be_paid(row, payment, now)
    organisation = row.account.organisation
    amount = Money.from_minor(row.gross_minor, row.currency)
    gateway_units = gateway_amounts.to_gateway(amount)
    if payment is None:
        payment = Payment.objects.create(agreement=row, amount_minor=amount.minor, currency=row.currency, started_by=by, started_at=now)
    Payment.objects.filter(pk=payment.pk).update(state=moves.STARTED, failure="", seen_at=None)
    number = payment.attempts.count() + 1
    wish = base.CheckoutWish(
        key=f"pay:{row.number}:{number}", amount=gateway_units, currency=row.currency, title=row.title, description=row.reference, agreement=row.number,
        payment=payment.number, attempt=str(number), success_url=success_url, cancel_url=cancel_url, expires_at=int((now + CHECKOUT_LIFE).timestamp()),
        language="zh" if getattr(by, "language", "en").startswith("zh") else "en", email=organisation.billing_email,
    )  # fmt: skip
    audit.record(
        verb="payment.started", subject=payment.number, by=by, organisation=organisation, now=now, agreement=row.number, attempt=number,
        amount_minor=amount.minor,
    )  # fmt: skip
    return PaymentAttempt.objects.create(
        payment=payment, attempt=number, idempotency_key=wish.key, request=dataclasses.asdict(wish), created_at=now,
        next_look_at=now + moves.pause_before_look(looks=0),
    )  # fmt: skip


def _refuse_what_cannot_be_paid(agreement: Agreement, payment: Payment | None, now: datetime) -> None:
    if agreement.state == Agreement.State.LAPSED:
        raise NotPayable(_("This booking cannot be paid any more: its hold has ended."))
    if agreement.state != Agreement.State.PENDING:
        raise NotPayable(_("This booking is paid already."))
    if payment is not None and payment.state in (moves.PROCESSING, moves.ACTION):
        raise PaymentUnderWay(_("A payment for this booking is being processed. It settles by itself; please do not pay again."))
    cap = people.organisations_by_id([agreement.account.organisation_id])[agreement.account.organisation_id].payment_attempts_cap
    today = PaymentAttempt.objects.filter(payment__agreement__account=agreement.account, created_at__gt=now - timedelta(days=1)).count()
    if today >= cap:
        message = _("Your organisation has started %(count)s payments within a day; more are not possible until tomorrow. Please write to us if you need one.")
        raise TooManyAttempts(message % {"count": today}, cap=cap)


def _opened(attempt: PaymentAttempt, now: datetime) -> str:
    """Ask for the checkout of a committed attempt, for the first time or again: the key makes it one. Raises GatewayRefused, GatewayUnavailable."""
    try:
        seen = gateway.current().open_checkout(wish=base.CheckoutWish(**attempt.request))
    except base.Refused as error:
        log.warning("attempt %s was refused: %s", attempt.idempotency_key, error)
        _end(attempt, REFUSED)
        raise gateway.GatewayRefused() from error
    except base.OutcomeUnknown as error:
        log.warning("attempt %s has an unknown outcome: %s", attempt.idempotency_key, error)
        if error.answered and attempt.looks:
            _end(attempt, REFUSED)  # the same fault a second time: it would be repeated for a day. Nobody has this checkout's address, so nobody can pay there
        PaymentAttempt.objects.filter(pk=attempt.pk).update(looks=attempt.looks + 1)
        raise gateway.GatewayUnavailable() from error
    PaymentAttempt.objects.filter(pk=attempt.pk, outcome=UNKNOWN).update(
        outcome=OPEN, gateway_session=seen.id, url=seen.url, expires_at=seen.expires_at, looks=0, next_look_at=now + moves.pause_before_look(looks=0)
    )
    return seen.url


def _end(attempt: PaymentAttempt, outcome: str) -> None:
    PaymentAttempt.objects.filter(pk=attempt.pk).update(outcome=outcome, next_look_at=None)


def _ask_again(attempt: PaymentAttempt, now: datetime) -> None:
    """An attempt of unknown outcome that nobody came back for: find out with its key while the gateway keeps it, give it up afterwards."""
    if now - attempt.created_at > KEYS_KEPT_FOR or attempt.payment.agreement.state != Agreement.State.PENDING:
        _end(attempt, REFUSED)
        return
    try:
        _opened(attempt, now)
    except gateway.GatewayRefused:
        return


def _closed(attempt: PaymentAttempt, seen: base.CheckoutSeen) -> base.CheckoutSeen:
    """Close a checkout whose hold has ended or that was paid through another one, so that nobody pays for what he cannot get; as it is now when that came
    too late."""
    try:
        return gateway.current().expire_checkout(id=seen.id)
    except base.Refused:
        return gateway.current().checkout(id=attempt.gateway_session)


def _due_for_a_look(now: datetime, limit: int = 50) -> Iterator[int]:
    """Attempts to look at now, and open ones whose Agreement waits no more. Each has its next look put off just before, so that two sweeps do not both
    look."""
    waits_no_more = Q(outcome=OPEN) & ~Q(payment__agreement__state=Agreement.State.PENDING)
    for row in PaymentAttempt.objects.filter(Q(next_look_at__lte=now) | waits_no_more).order_by("next_look_at", "id")[:limit]:
        again = now + moves.pause_before_look(looks=row.looks + 1)
        if PaymentAttempt.objects.filter(pk=row.pk, next_look_at=row.next_look_at).update(next_look_at=again, looks=row.looks + 1):
            yield row.pk
