"""Documents as people see them. Loaders authorise: owners, admins and billing people of the Organisation, and finance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Case, CharField, Exists, F, OuterRef, Q, QuerySet, Value, When

from billing.domain import document
from billing.exports import base, columns
from billing.models import Agreement, Document, Refund
from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from portal.kernel.money import Money
from portal.kernel.page import Page
from portal.toolkit import keyset

STATES = ("open", "partly_paid", "overdue", "paid", "credited", "issued", "refunded")


@dataclass(frozen=True, slots=True)
class Listed:
    """A Document in a list. `state` is a word of the table in portal.toolkit.states."""

    number: str
    kind: str
    customer: str
    issued_on: date
    net: Money
    tax: Money
    gross: Money
    open: Money
    state: str
    reference: str
    path: str


@dataclass(frozen=True)
class Frozen(Listed):
    """A Document with its snapshot, as the API gives it."""

    sha256: str
    document: dict


@dataclass(frozen=True, slots=True)
class RefundShown:
    number: str
    amount: Money
    state: str
    wanted_at: datetime
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A Document's page: the paper and what became of it since."""

    listed: Listed
    paper: base.Paper
    organisation: int
    corrects: str
    credit_notes: tuple[Listed, ...]
    refunds: tuple[RefundShown, ...]
    sha256: str


def documents_of(*, organisation: Any, after: str = "", today: date, size: int = keyset.SIZE) -> Page[Listed]:
    """The Documents of an Organisation, newest first. The caller has checked the role."""
    page = keyset.page(stated(Document.objects.filter(account__organisation=organisation.pk), today), order="-pk", after=after, size=size)
    return Page([listed(row) for row in page.items], page.next, page.count)


def documents_of_agreement(*, user: Any, agreement: str, today: date) -> list[Listed]:
    """The Documents of one Agreement, oldest first; raises NotFound and NotAllowed. Empty while nothing is issued."""
    row = Agreement.objects.by_number(agreement).select_related("account").first()
    if row is None:
        raise NotFound()
    accounts.check_role(user, row.account.organisation_id, roles=roles.PAYERS, staff=[roles.FINANCE])
    return [listed(each) for each in stated(Document.objects.filter(agreement=row), today).order_by("pk")]


def row_for(*, user: Any, number: str, today: date | None = None) -> Document:
    """The Document's row for whoever may see it; raises NotFound and NotAllowed."""
    rows = stated(Document.objects.filter(number=number), today or date.min)
    row = rows.select_related("account", "corrects").first()
    if row is None:
        raise NotFound()
    accounts.check_role(user, row.account.organisation_id, roles=roles.PAYERS, staff=[roles.FINANCE])
    return row


def document_for(*, user: Any, number: str, language: str, today: date) -> Shown:
    """The page of one Document in `language`; raises NotFound and NotAllowed."""
    row = row_for(user=user, number=number, today=today)
    notes = stated(Document.objects.filter(corrects=row), today).order_by("pk")
    refunds = Refund.objects.filter(Q(document=row) | Q(document__corrects=row)).order_by("pk")
    return Shown(
        listed=listed(row),
        paper=base.paper(row.snapshot, language=language),
        organisation=row.account.organisation_id,
        corrects=row.corrects.number if row.corrects else "",
        credit_notes=tuple(listed(note) for note in notes),
        refunds=tuple(refund_shown(refund) for refund in refunds),
        sha256=row.sha256,
    )


def frozen_document_for(*, user: Any, number: str, today: date) -> Frozen:
    """One Document with its frozen content; raises NotFound and NotAllowed."""
    row = row_for(user=user, number=number, today=today)
    return Frozen(**{name: getattr(listed(row), name) for name in Listed.__slots__}, sha256=row.sha256, document=row.snapshot)


def stated(rows: QuerySet, today: date) -> QuerySet:
    """`rows` with their status, and their payment state as `state`, so that lists can filter by it."""
    refunds = Refund.objects.filter(document=OuterRef("pk"))
    unsettled = refunds.exclude(state=Refund.State.SUCCEEDED)
    left = F("gross_minor") - F("status__credited_minor") - F("status__paid_minor") + F("status__refunded_minor")
    rows = rows.select_related("status", "agreement").annotate(left_minor=left)
    return rows.annotate(
        state=Case(
            When(Q(kind=Document.Kind.CREDIT_NOTE) & Exists(refunds) & ~Exists(unsettled), then=Value("refunded")),
            When(kind=Document.Kind.CREDIT_NOTE, then=Value("issued")),
            When(gross_minor__gt=0, status__credited_minor__gte=F("gross_minor"), then=Value("credited")),
            When(left_minor__lte=0, then=Value("paid")),
            When(due_on__lt=today, then=Value("overdue")),
            When(status__paid_minor__gt=0, then=Value("partly_paid")),
            default=Value("open"),
            output_field=CharField(),
        )
    )


def listed(row: Document) -> Listed:
    def money(minor: int) -> Money:
        return Money.from_minor(minor, row.currency)

    return Listed(
        number=row.number,
        kind=row.kind,
        customer=row.customer_name,
        issued_on=row.issued_on,
        net=money(row.net_minor),
        tax=money(row.tax_minor),
        gross=money(row.gross_minor),
        open=money(open_minor(row)),
        state=row.state,
        reference=row.snapshot["reference"].get("reference", ""),
        path=row.snapshot["reference"].get("path", ""),
    )


def record(row: Document) -> columns.Record:
    """The Document as finance tables take it."""
    status = getattr(row, "status", None)
    return columns.Record(
        snapshot=row.snapshot,
        state=row.state,
        paid_minor=status.paid_minor if status else 0,
        credited_minor=status.credited_minor if status else 0,
        refunded_minor=status.refunded_minor if status else 0,
        open_minor=open_minor(row),
        sha256=row.sha256,
    )


def open_minor(row: Document) -> int:
    """What is still owed on an invoice; 0 for a credit note, which is accounted for at its invoice."""
    status = getattr(row, "status", None)
    if status is None:
        return 0
    return document.open_minor(gross=row.gross_minor, paid=status.paid_minor, credited=status.credited_minor, refunded=status.refunded_minor)


def refund_shown(refund: Refund) -> RefundShown:
    return RefundShown(refund.number, Money.from_minor(refund.amount_minor, refund.currency), refund.state, refund.wanted_at, refund.settled_at)
