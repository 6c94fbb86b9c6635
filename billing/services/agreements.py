"""Agreements: opened pending at a frozen price, open once paid, ended by what was served.

Locks are taken in one order everywhere: UnitClasses (by rentals), BillingAccount, Payments, Agreement, the invoice's status, the series.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from billing import queries
from billing.domain import ledger, months, pricing, proration
from billing.models import Agreement, AgreementLine, BillingAccount, Document, Payment, RatedItem, UsageSegment
from billing.queries import parties as tax_parties
from billing.queries import prices, settlements
from billing.services import announcements, books, credits, invoices, parties
from portal.accounts.services import audit
from portal.kernel.errors import Conflict, NotFound
from portal.kernel.money import Money
from portal.kernel.period import Period

PENDING, OPEN, ENDED, LAPSED = Agreement.State.PENDING, Agreement.State.OPEN, Agreement.State.ENDED, Agreement.State.LAPSED


class SpendCapReached(Conflict):
    """The spending limit of this month would be exceeded."""

    code = "spend_cap_reached"


class AgreementIsOpen(Conflict):
    """The payment was faster: this is paid."""

    code = "agreement_open"


class AgreementHasLapsed(Conflict):
    """The hold ended before the payment came."""

    code = "agreement_lapsed"


class AgreementNotOpen(Conflict):
    """This Agreement is not running."""

    code = "agreement_not_open"


class UsageOverlaps(Conflict):
    """This time was recorded before."""

    code = "usage_overlaps"


class PaidTooLittle(Conflict):
    """The payment does not cover the price."""

    code = "paid_too_little"


@dataclass(frozen=True, slots=True)
class Pending:
    """An Agreement that waits for its payment."""

    number: str
    net: Money
    tax: Money
    gross: Money


@transaction.atomic
def open_pending(
    *,
    organisation: Any,
    wanted: Sequence[pricing.Wanted],
    during: Period,
    reference: str,
    path: str,
    title: str,
    by: Any,
    now: datetime,
    frozen: Sequence[Mapping[str, object]] | None = None,
    project: str = "",
    cost_centre: str = "",
    purchase_order: str = "",
) -> Pending:
    """Freeze prices, term discounts, tax decision and customer for a Booking; what is owed counts against the month's spending limit from now on.
    `frozen` are the lines of a Quote's snapshot (PriceLine.as_data), taken instead of today's prices. Raises SpendCapReached, queries.NoPrice,
    DetailsMissing, CannotBeTaxed, NoSeller, parties.CurrencyNotSold."""
    account = BillingAccount.objects.select_for_update().get(pk=parties.account_for(organisation=organisation).pk)
    steps = queries.term_steps()
    lines = _priced(wanted, frozen, during, account.currency, now, steps)
    treatment = tax_parties.treatment(organisation=organisation, product_classes={line.product_class for line in lines}, now=now)
    price = pricing.assemble(lines=lines, decisions=treatment.decisions, during=during, currency=account.currency)
    _refuse_above_cap(organisation, account, price.gross, now)
    agreement = Agreement.objects.create(
        account=account,
        reference=reference,
        path=path,
        title=title,
        project=project,
        cost_centre=cost_centre,
        purchase_order=purchase_order,
        currency=account.currency,
        during=(during.start, during.end),
        tax=treatment.as_data(organisation),
        terms=[[step.from_hours, str(step.percent)] for step in steps],
        net_minor=price.net.minor,
        tax_minor=price.tax.minor,
        gross_minor=price.gross.minor,
        created_at=now,
    )
    AgreementLine.objects.bulk_create(_line(agreement, position, line) for position, line in enumerate(lines, start=1))
    audit.record(
        verb="agreement.pending", subject=agreement.number, by=by, organisation=organisation, now=now, reference=reference, gross_minor=price.gross.minor
    )  # fmt: skip
    return Pending(agreement.number, price.net, price.tax, price.gross)


@transaction.atomic
def lapse(*, number: str, now: datetime) -> None:
    """The hold ended first: a payment that still arrives is refunded. A repeat does nothing. Raises AgreementIsOpen when the payment was faster."""
    agreement = _locked(number)
    if agreement.state in (OPEN, ENDED):
        raise AgreementIsOpen(_("The payment was faster: this booking is paid."))
    if agreement.state == PENDING:
        Agreement.objects.filter(pk=agreement.pk).update(state=LAPSED, ended_at=now)
        audit.record(verb="agreement.lapsed", subject=agreement.number, organisation=agreement.account.organisation_id, now=now)


def open_on_payment(*, agreement: str, payment: Payment, now: datetime) -> str:
    """Inside the gateway's transaction, with `payment` locked and captured: book the money, open the Agreement, issue the invoice as paid, announce
    `agreement_opened`. Returns the invoice's number. Raises AgreementHasLapsed, AgreementIsOpen (another payment was first) and PaidTooLittle; then the
    money is in the books as the customer's, if the caller commits, and the caller wants a refund."""
    books.payment_settled(payment=payment, now=now)  # outside the savepoint below: a refusal keeps it
    return _open(number=agreement, payment=payment, now=now)


@transaction.atomic
def _open(*, number: str, payment: Payment, now: datetime) -> str:
    row = _locked(number)
    if row.state == LAPSED:
        raise AgreementHasLapsed(_("The hold ended before the payment came."))
    if row.state != PENDING:
        raise AgreementIsOpen(_("This booking was paid already."))
    if payment.currency != row.currency or payment.captured_minor < row.gross_minor:
        raise PaidTooLittle(_("The payment does not cover the price."))
    Agreement.objects.filter(pk=row.pk, state=PENDING).update(state=OPEN, opened_at=now)
    draft = invoices.draft(
        kind=Document.Kind.INVOICE,
        account=row.account,
        currency=row.currency,
        tax={"customer": row.tax["customer"], "decisions": row.tax["decisions"]},
        lines=[_invoice_line(line, settlements.period_of(row)) for line in row.lines.all()],
        now=now,
        agreement=row,
    )
    invoice = invoices.issue(draft=draft, now=now, payment=payment)
    announcements.announce(kind="agreement_opened", subject=row.number, now=now, agreement=row.number, reference=row.reference)
    audit.record(verb="agreement.opened", subject=row.number, organisation=row.account.organisation_id, now=now, payment=payment.number)
    return invoice.number


@transaction.atomic
def record_usage(
    *,
    number: str,
    position: int,
    source: str,
    rental: str,
    during: Period,
    quantity: Decimal,
    kind: str,
    evidence: Mapping[str, object],
    now: datetime,
) -> bool:
    """Append one UsageSegment to the line at `position`. A `source` that is known already adds nothing: returns False. kind: served | interrupted | unknown.
    Raises AgreementNotOpen, NotFound (no such line) and UsageOverlaps when a second of this rental was reported as served before."""
    agreement = _locked(number)
    if UsageSegment.objects.filter(source=source).exists():
        return False
    if agreement.state != OPEN:
        raise AgreementNotOpen(_("Usage is recorded while an agreement is open."), state=agreement.state)
    line = agreement.lines.filter(position=position).first()
    if line is None:
        raise NotFound()
    try:
        with transaction.atomic():
            line.segments.create(
                source=source, rental=rental, during=(during.start, during.end), quantity=quantity, kind=kind, evidence=evidence, recorded_at=now
            )  # fmt: skip
    except IntegrityError as error:
        raise UsageOverlaps(_("This time was recorded before."), source=source) from error
    return True


@transaction.atomic
def end(*, number: str, now: datetime) -> settlements.Settlement:
    """Rate what was served and give the rest back: a credit note and wanted Refunds. A repeat returns the same Settlement. Raises AgreementNotOpen for one
    that was never paid."""
    list(Payment.objects.select_for_update().filter(agreement__in=Agreement.objects.by_number(number)).order_by("id"))
    row = _locked(number)
    if row.state == ENDED:
        return settlements.ended(agreement=number)
    if row.state != OPEN:
        raise AgreementNotOpen(_("This agreement was never opened."), state=row.state)
    lines = list(row.lines.prefetch_related("segments"))
    result = settlements.settle(agreement=row, lines=lines, segments=settlements.segments_of(lines))
    RatedItem.objects.bulk_create(_rated(line, item) for line, settled in zip(lines, result.lines, strict=True) for item in settled.rated)
    invoice = row.documents.get(kind=Document.Kind.INVOICE)
    if result.credit_net:
        reason = "not_used"
        credited = [credits.Credit(item.position, item.credit, item.credit_hours) for item in result.lines]
        note = credits.credit(invoice=invoice, lines=credited, reason=reason, by=None, now=now)
        credits.refund_what_we_owe(invoice=invoice, note=note, reason=reason, source=f"end:{row.number}", now=now)
    settled = settlements.ended(agreement=number)
    earned = settled.invoiced - settled.credit_net  # what no credit note took back, also none by hand
    books.post(booked=ledger.revenue_served(agreement=row.number, net=earned), account=row.account, now=now)
    Agreement.objects.filter(pk=row.pk, state=OPEN).update(state=ENDED, ended_at=now)
    audit.record(
        verb="agreement.ended", subject=row.number, organisation=row.account.organisation_id, now=now, served_minor=result.served.minor
    )  # fmt: skip
    return settled


def committed_minor(*, account: BillingAccount, month: Period) -> int:
    """What the orders of `month` come to: pending ones at their price, the others by their Documents, credit notes taken off."""
    orders = Agreement.objects.filter(account=account, created_at__gte=month.start, created_at__lt=month.end)
    pending = orders.filter(state=PENDING).aggregate(sum=Sum("gross_minor"))["sum"] or 0
    billed = Document.objects.filter(agreement__in=orders.exclude(state=PENDING)).aggregate(sum=Sum("gross_minor"))["sum"] or 0
    return int(pending) + int(billed)


def _refuse_above_cap(organisation: Any, account: BillingAccount, gross: Money, now: datetime) -> None:
    committed = committed_minor(account=account, month=months.month_of(instant=now, zone=account.time_zone))
    if committed + gross.minor <= organisation.spend_cap_minor:
        return
    left = Money.from_minor(max(0, organisation.spend_cap_minor - committed), account.currency)
    cap = Money.from_minor(organisation.spend_cap_minor, account.currency)
    message = _("This booking costs %(gross)s. Of this month's limit of %(cap)s there is %(left)s left. Ask us to raise the limit.")
    raise SpendCapReached(message % {"gross": gross, "cap": cap, "left": left}, cap_minor=cap.minor, left_minor=left.minor, wanted_minor=gross.minor)


def _priced(
    wanted: Sequence[pricing.Wanted],
    frozen: Sequence[Mapping[str, object]] | None,
    during: Period,
    currency: str,
    now: datetime,
    steps: Sequence[pricing.Step],
) -> tuple[pricing.PriceLine, ...]:
    if frozen is None:
        return prices.price(wanted=wanted, during=during, currency=currency, now=now, steps=steps)
    lines = tuple(pricing.thaw(data=data, during=during) for data in frozen)
    if any(line.rate.currency != currency for line in lines):
        raise queries.NoPrice(_("This offer is in another currency than your account."), currency=currency)
    return lines


def _line(agreement: Agreement, position: int, line: pricing.PriceLine) -> AgreementLine:
    return AgreementLine(
        agreement=agreement,
        position=position,
        sku=line.sku,
        description=line.description,
        unit=line.unit,
        quantity=line.quantity,
        billed_hours=line.billed_hours,
        rule=line.rule,
        rate=line.rate.amount,
        discount_percent=line.discount_percent,
        discount_from_terms=line.discount_from_terms,
        granule_seconds=line.granule_seconds,
        minimum_seconds=line.minimum_seconds,
        product_class=line.product_class,
        net_minor=line.net.minor,
    )


def _rated(line: AgreementLine, item: proration.Rated) -> RatedItem:
    exact = proration.amount(rate=Money(line.rate, line.agreement.currency), quantity_seconds=item.quantity_seconds).amount
    return RatedItem(
        line=line,
        rental=item.rental,
        served_seconds=item.served_seconds,
        billed_seconds=item.billed_seconds,
        amount=exact.quantize(Decimal("0.000000000001")),
    )


def _invoice_line(line: AgreementLine, during: Period) -> invoices.LineWanted:
    return invoices.LineWanted(
        position=line.position,
        sku=line.sku,
        description=line.description,
        hours=Decimal(line.billed_hours),
        unit=line.unit,
        unit_price=line.rate,
        product_class=line.product_class,
        net_minor=line.net_minor,
        rule=line.rule,
        start=during.start,
        end=during.end,
    )


def _locked(number: str) -> Agreement:
    row = Agreement.objects.by_number(number).select_related("account__seller").select_for_update(of=("self",)).first()
    if row is None:
        raise NotFound()
    return row
