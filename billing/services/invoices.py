"""Drafts and their issue. Issuing is one transaction: number, snapshot, hash and ledger stand or fall together; files and mail follow from rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from billing.domain import document, ledger, numbering, snapshot
from billing.domain.tax import Decision
from billing.models import Agreement, BillingAccount, Document, DocumentFile, DocumentStatus, Draft, DraftLine, LegalEntity, Payment, Series
from billing.services import announcements, books
from portal.accounts import queries as accounts
from portal.accounts.services import audit, notifications
from portal.kernel.errors import Conflict
from portal.kernel.money import Money
from portal.toolkit.tasks import after_commit

FILES = (("pdf", "en"), ("pdf", "zh-hans"))  # kept for ever; tables are made when asked for


class DraftIsClosed(Conflict):
    """This draft is issued or void already."""

    code = "draft_closed"


@dataclass(frozen=True, slots=True)
class LineWanted:
    """A line to draft. On a credit note `hours` and `net_minor` are negative and `position` names the invoice's line."""

    position: int
    sku: str
    description: str
    hours: Decimal
    unit: str
    unit_price: Decimal
    product_class: str
    net_minor: int
    rule: str
    start: datetime | None
    end: datetime | None


@transaction.atomic
def draft(
    *,
    kind: str,
    account: BillingAccount,
    currency: str,
    tax: dict,
    lines: Iterable[LineWanted],
    now: datetime,
    agreement: Agreement | None = None,
    corrects: Document | None = None,
    reason: str = "",
) -> Draft:
    """Write a changeable, voidable Document without a number. `tax` is the frozen customer and decisions, as in Agreement.tax."""
    row = Draft.objects.create(
        kind=kind, account=account, agreement=agreement, corrects=corrects, currency=currency, tax=tax, reason=reason, created_at=now
    )  # fmt: skip
    DraftLine.objects.bulk_create(_draft_line(row, line) for line in lines)
    return row


def void(*, draft: Draft) -> None:
    """Give up a draft; raises DraftIsClosed. It never had a number, so none is lost."""
    if not Draft.objects.filter(pk=draft.pk, state=Draft.State.OPEN).update(state=Draft.State.VOID):
        raise DraftIsClosed(_("This draft is issued or void already."))


@transaction.atomic
def issue(*, draft: Draft, now: datetime, payment: Payment | None = None, sums: document.Totals | None = None, unserved: Money | None = None) -> Document:
    """Give `draft` its number and freeze it. `payment` is what it was paid with beforehand; `sums` are a credit note's totals and `unserved` the part of
    its net that was never revenue. Raises DraftIsClosed. A failure anywhere costs no number."""
    if not Draft.objects.filter(pk=draft.pk, state=Draft.State.OPEN).update(state=Draft.State.ISSUED):
        raise DraftIsClosed(_("This draft is issued or void already."))
    lines = _lines(draft)
    sums = sums or _sums(lines, draft)
    seller = draft.account.seller
    series = _series(seller, draft.kind, numbering.day(now=now, zone=seller.time_zone))
    sequence, issued_on = _next(series, numbering.day(now=now, zone=seller.time_zone))
    number = numbering.number(prefix=series.prefix, sequence=sequence)
    content = _content(draft, number, issued_on, lines, sums, payment)
    row = Document.objects.create(
        series=series,
        sequence=sequence,
        number=number,
        kind=draft.kind,
        account=draft.account,
        agreement=draft.agreement,
        corrects=draft.corrects,
        currency=draft.currency,
        net_minor=sums.net.minor,
        tax_minor=sums.tax.minor,
        gross_minor=sums.gross.minor,
        issued_on=issued_on,
        due_on=issued_on,
        issued_at=now,
        customer_name=str(draft.tax["customer"]["name"])[:200],
        snapshot=content,
        sha256=document.sha256(content),
    )
    _follow(row, sums, payment, unserved, now)
    return row


def _follow(row: Document, sums: document.Totals, payment: Payment | None, unserved: Money | None, now: datetime) -> None:
    if row.kind == Document.Kind.INVOICE:
        DocumentStatus.objects.create(document=row, paid_minor=min(payment.captured_minor, row.gross_minor) if payment else 0)
    booked = ledger.document_issued(number=row.number, kind=row.kind, net=sums.net, tax=sums.tax, unserved=unserved)
    books.post(booked=booked, account=row.account, now=now, document=row)
    DocumentFile.objects.bulk_create(DocumentFile(document=row, kind=kind, language=language, next_attempt_at=now) for kind, language in FILES)
    reference = row.agreement.reference if row.agreement else ""
    announcements.announce(kind="document_issued", subject=row.number, now=now, document=row.number, reference=reference)
    notifications.notify(
        users=accounts.members_of(row.account.organisation_id, notifications.MONEY_ROLES),
        kind=row.kind,
        key=f"{row.kind}:{row.number}",
        subject=row.number,
        path=reverse("billing:document", args=[row.number]),
        now=now,
        organisation=row.account.organisation_id,
        amount=str(Money.from_minor(abs(row.gross_minor), row.currency)),
        corrects=row.corrects.number if row.corrects else "",
        title=row.agreement.title if row.agreement else "",
        reference=reference,
    )
    audit.record(
        verb=f"{row.kind}.issued", subject=row.number, organisation=row.account.organisation_id, now=now, gross_minor=row.gross_minor, currency=row.currency
    )  # fmt: skip
    after_commit("billing.make_files", document=row.number)


def _draft_line(row: Draft, line: LineWanted) -> DraftLine:
    net = Money.from_minor(line.net_minor, row.currency)
    discount = document.line_discount(quantity=line.hours, price=Money(line.unit_price, row.currency), net=net)
    return DraftLine(
        draft=row,
        position=line.position,
        sku=line.sku,
        description=line.description,
        quantity=line.hours,
        unit=line.unit,
        unit_price=line.unit_price,
        product_class=line.product_class,
        rule=line.rule,
        discount_minor=discount.minor,
        net_minor=line.net_minor,
        period_start=line.start,
        period_end=line.end,
    )


def _decisions(draft: Draft) -> dict[str, Decision]:
    return {name: Decision.from_data(data) for name, data in draft.tax["decisions"].items()}


def _lines(draft: Draft) -> list[snapshot.Line]:
    decisions = _decisions(draft)
    return [
        snapshot.Line(
            line.position,
            line.sku,
            line.description,
            line.quantity,
            line.unit,
            line.unit_price,
            line.discount_minor,
            line.net_minor,
            line.product_class,
            decisions[line.product_class].category,
            decisions[line.product_class].rate,
            line.rule,
            line.period_start,
            line.period_end,
        )
        for line in draft.lines.all()
    ]


def _sums(lines: list[snapshot.Line], draft: Draft) -> document.Totals:
    decisions = _decisions(draft)
    taxed = [document.Taxed(Money.from_minor(line.net_minor, draft.currency), decisions[line.product_class]) for line in lines]
    return document.totals(taxed, draft.currency)


def _series(seller: LegalEntity, kind: str, day: date) -> Series:
    name = "" if seller.is_default else seller.slug
    prefix = numbering.prefix(kind=kind, year=day.year, seller=name)
    return Series.objects.get_or_create(seller=seller, kind=kind, year=day.year, defaults={"prefix": prefix})[0]


def _next(series: Series, day: date) -> tuple[int, date]:
    # One statement: the row lock holds until commit, so numbers follow commits without a gap, and a clock that steps back cannot date a later number earlier.
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE billing_series SET last_number = last_number + 1, last_issued_on = GREATEST(last_issued_on, %s) WHERE id = %s"
            " RETURNING last_number, last_issued_on",
            [day, series.pk],
        )
        return cursor.fetchone()


def _content(
    draft: Draft, number: str, issued_on: date, lines: list[snapshot.Line], sums: document.Totals, payment: Payment | None
) -> dict[str, object]:  # fmt: skip
    agreement, corrects = draft.agreement, draft.corrects
    return snapshot.build(
        kind=draft.kind,
        number=number,
        issued_on=issued_on,
        due_on=issued_on,
        seller=_seller(draft.account.seller),
        customer=draft.tax["customer"],
        reference=_reference(agreement) if agreement else {},
        lines=lines,
        sums=sums,
        corrects={"number": corrects.number, "issued_on": corrects.issued_on.isoformat()} if corrects else None,
        reason=draft.reason,
        payment={"number": payment.number, "paid_minor": payment.captured_minor, "paid_on": issued_on.isoformat()} if payment else None,
        time_zone=draft.account.time_zone,
        simulated=settings.DEMO,
    )


def _seller(seller: LegalEntity) -> dict[str, Any]:
    fields = ("name", "street", "postal_code", "city", "region", "country", "tax_id", "email", "iban", "bic", "bank_name")
    return {name: getattr(seller, name) for name in fields}


def _reference(agreement: Agreement) -> dict[str, Any]:
    fields = ("number", "reference", "path", "title", "project", "cost_centre", "purchase_order")
    return {name: getattr(agreement, name) for name in fields}
