"""Credit notes and wanted refunds. Credits never exceed the invoice, refunds never exceed what was captured: checked under a lock, judged by the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from billing.domain import document, ledger, snapshot
from billing.domain.tax import Decision
from billing.models import Document, DocumentStatus, Payment, Refund
from billing.services import books, invoices
from portal.accounts.services import audit
from portal.kernel.errors import Conflict
from portal.kernel.money import Money
from portal.toolkit.tasks import after_commit


class CreditExceedsInvoice(Conflict):
    """The invoice does not hold that much any more."""

    code = "credit_exceeds_invoice"


class RefundExceedsCaptured(Conflict):
    """More would be refunded than was paid."""

    code = "refund_exceeds_captured"


@dataclass(frozen=True, slots=True)
class Credit:
    """So much off one line of an invoice: `net` and `hours` are negative or zero; `position` is the invoice line's."""

    position: int
    net: Money
    hours: Decimal
    rule: str = ""


@transaction.atomic
def credit(*, invoice: Document, lines: Iterable[Credit], reason: str, by: Any, now: datetime, unserved: Money | None = None) -> Document:
    """Issue a credit note on `invoice`, with its tax decision. `unserved` (negative) is the part that was never revenue; by default all of it.
    Raises CreditExceedsInvoice when a line, a tax category or the whole would exceed what is left."""
    status = DocumentStatus.objects.select_for_update().get(document=invoice)
    wanted = [line for line in lines if line.net]
    sums = preview(invoice=invoice, lines=wanted)
    by_position = _lines_of(invoice)
    draft = invoices.draft(
        kind=Document.Kind.CREDIT_NOTE,
        account=invoice.account,
        currency=invoice.currency,
        tax={"customer": invoice.snapshot["customer"], "decisions": _decisions(invoice)},
        lines=[_line(line, by_position[line.position]) for line in wanted],
        now=now,
        agreement=invoice.agreement,
        corrects=invoice,
        reason=reason,
    )
    note = invoices.issue(draft=draft, now=now, sums=sums, unserved=unserved)
    DocumentStatus.objects.filter(pk=status.pk).update(credited_minor=F("credited_minor") - note.gross_minor)
    audit.record(
        verb="invoice.credited", subject=invoice.number, by=by, organisation=invoice.account.organisation_id, now=now, credit_note=note.number, reason=reason
    )  # fmt: skip
    return note


def preview(*, invoice: Document, lines: Sequence[Credit]) -> document.Totals:
    """What a credit note over `lines` would come to (negative); raises CreditExceedsInvoice as credit does."""
    notes = [row.snapshot for row in invoice.credit_notes.order_by("id")]
    by_position = _lines_of(invoice)
    _refuse_excess(lines, by_position, notes)
    return _sums(invoice, lines, by_position, notes)


@transaction.atomic
def refund_what_we_owe(*, invoice: Document, note: Document | None, reason: str, source: str, now: datetime) -> list[Refund]:
    """Want refunds for what the customer has paid too much on `invoice`, spread over its payments, newest first. Empty when nothing is owed."""
    status = DocumentStatus.objects.select_for_update().get(document=invoice)
    owed = -document.open_minor(
        gross=invoice.gross_minor, paid=status.paid_minor, credited=status.credited_minor, refunded=status.refunded_minor
    )  # fmt: skip
    wanted = []
    for payment in Payment.objects.select_for_update().filter(agreement=invoice.agreement, state=Payment.State.SUCCEEDED).order_by("-id"):
        part = min(owed, payment.captured_minor - payment.refunded_minor)
        if part > 0:
            amount = Money.from_minor(part, payment.currency)
            wanted.append(want_refund(payment=payment, amount=amount, reason=reason, source=f"{source}:{payment.number}", now=now, note=note, invoice=invoice))
            owed -= part
    return wanted


@transaction.atomic
def want_refund(
    *, payment: Payment, amount: Money, reason: str, source: str, now: datetime, note: Document | None = None, invoice: Document | None = None
) -> Refund:
    """Write a Refund to be sent after commit; the sweeper finds it when the ring is lost. The same `source` again gives the same Refund. `note` is the
    credit note behind it, `invoice` the one whose payment it reduces. Raises RefundExceedsCaptured."""
    earlier = Refund.objects.filter(source=source).first()
    if earlier is not None:
        return earlier
    fits = Payment.objects.filter(pk=payment.pk, captured_minor__gte=F("refunded_minor") + amount.minor)
    if not fits.update(refunded_minor=F("refunded_minor") + amount.minor):
        raise RefundExceedsCaptured(_("Of this payment only the part that was not refunded yet can be refunded."), payment=payment.number)
    refund = Refund.objects.create(
        payment=payment,
        document=note,
        invoice=invoice,
        amount_minor=amount.minor,
        currency=amount.currency,
        reason=reason,
        source=source,
        wanted_at=now,
        next_attempt_at=now,
    )
    if invoice is not None:
        DocumentStatus.objects.filter(document=invoice).update(refunded_minor=F("refunded_minor") + amount.minor)
    account = payment.agreement.account
    books.post(booked=ledger.refund_wanted(refund=refund.number, amount=amount), account=account, now=now, refund=refund)
    audit.record(
        verb="refund.wanted", subject=refund.number, organisation=account.organisation_id, now=now, payment=payment.number, amount_minor=amount.minor
    )  # fmt: skip
    after_commit("billing.send_refund", refund=refund.number)
    return refund


@transaction.atomic
def refund_settled(*, refund: Refund, now: datetime) -> None:
    """Book that the gateway paid `refund`. A repeat books nothing. The caller moves the row's state."""
    amount = Money.from_minor(refund.amount_minor, refund.currency)
    books.post(booked=ledger.refund_settled(refund=refund.number, amount=amount), account=refund.payment.agreement.account, now=now, refund=refund)


@transaction.atomic
def refund_failed(*, refund: Refund, now: datetime) -> None:
    """Put the money of a failed refund back to owed: in the books, at the Payment and at the invoice. A repeat does nothing. The caller moves the state."""
    amount = Money.from_minor(refund.amount_minor, refund.currency)
    settled = books.is_posted(key=f"refund:{refund.number}")
    booked = ledger.refund_failed(refund=refund.number, amount=amount, was_settled=settled)
    if not books.post(booked=booked, account=refund.payment.agreement.account, now=now, refund=refund):
        return
    Payment.objects.filter(pk=refund.payment_id).update(refunded_minor=F("refunded_minor") - refund.amount_minor)
    if refund.invoice_id:
        DocumentStatus.objects.filter(document=refund.invoice_id).update(refunded_minor=F("refunded_minor") - refund.amount_minor)


def _lines_of(invoice: Document) -> dict[int, dict]:
    return {item["position"]: item for item in invoice.snapshot["lines"]}


def _refuse_excess(wanted: Sequence[Credit], by_position: Mapping[int, dict], notes: Sequence[dict]) -> None:
    for line in wanted:
        before = sum(item["net_minor"] for note in notes for item in note["lines"] if item["position"] == line.position)
        left = by_position[line.position]["net_minor"] + before if line.position in by_position else 0
        if line.net.minor > 0 or -line.net.minor > left:
            raise CreditExceedsInvoice(_("Line %(position)s does not hold that much any more.") % {"position": line.position}, position=line.position)
    if not wanted:
        raise CreditExceedsInvoice(_("There is nothing to credit."))


def _sums(invoice: Document, wanted: Sequence[Credit], by_position: Mapping[int, dict], notes: Sequence[dict]) -> document.Totals:
    decisions = {name: Decision.from_data(data) for name, data in _decisions(invoice).items()}
    taxed = [document.Taxed(line.net, decisions[by_position[line.position]["product_class"]]) for line in wanted]
    try:
        earlier = [snapshot.totals_of(note) for note in notes]
        return document.credit_totals(taxed, invoice=snapshot.totals_of(invoice.snapshot), earlier=earlier)
    except document.ExceedsInvoice as error:
        raise CreditExceedsInvoice(_("The invoice does not hold that much any more.")) from error


def _decisions(invoice: Document) -> dict[str, dict]:
    """The invoice's own tax decision, from its snapshot: a credit note never decides anew."""
    taxes = {(tax["category"], tax["rate"]): tax for tax in invoice.snapshot["taxes"]}
    decisions = {}
    for line in invoice.snapshot["lines"]:
        tax = taxes[(line["tax_category"], line["tax_rate"])]
        decisions[line["product_class"]] = {
            "group": "",
            "category": tax["category"],
            "rate": tax["rate"],
            "note": tax["note"],
            "reason_code": tax["reason_code"],
            "source": invoice.number,
        }
    return decisions


def _line(line: Credit, item: dict) -> invoices.LineWanted:
    return invoices.LineWanted(
        position=line.position,
        sku=item["sku"],
        description=item["description"],
        hours=line.hours,
        unit=item["unit"],
        unit_price=Decimal(item["unit_price"]),
        product_class=item["product_class"],
        net_minor=line.net.minor,
        rule=line.rule,
        start=_moment(item["period_start"]),
        end=_moment(item["period_end"]),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
