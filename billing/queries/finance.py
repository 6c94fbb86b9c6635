"""Finance's desk: the month, the list of all Documents, one Document with its books."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from billing.domain import months, numbering
from billing.exports import columns
from billing.models import Agreement, Document, Payment, Posting, Refund, UsageSegment
from billing.queries import documents, parties
from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import Conflict, NotFound
from portal.kernel.money import Money, exponent, round_half_up
from portal.kernel.page import Page
from portal.kernel.period import Period
from portal.toolkit import keyset

SORTS = ("-pk", "pk", "-issued_on", "issued_on", "-gross_minor", "gross_minor", "customer_name", "-customer_name", "number", "-number")
MOST_IN_A_WORKBOOK = 20_000


class TooManyForAWorkbook(Conflict):
    """So many rows do not go into one workbook."""

    code = "too_many_rows"


@dataclass(frozen=True, slots=True)
class Filters:
    """What finance looks for. Empty means any. Amounts are gross, in whole currency units; days are inclusive."""

    text: str = ""
    kind: str = ""
    state: str = ""
    currency: str = ""
    since: date | None = None
    until: date | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    sort: str = "-pk"


@dataclass(frozen=True, slots=True)
class Glance:
    """One currency's month. `open` and `unbilled` are as of now."""

    currency: str
    billed: Money
    credited: Money
    collected: Money
    refunded: Money
    open: Money
    unbilled: Money


@dataclass(frozen=True, slots=True)
class Month:
    during: Period
    first: date
    last: date
    glances: tuple[Glance, ...]


@dataclass(frozen=True, slots=True)
class PostingShown:
    at: datetime
    kind: str
    account: str
    amount: Money


@dataclass(frozen=True, slots=True)
class SegmentShown:
    position: int
    rental: str
    kind: str
    during: Period
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class PaymentShown:
    number: str
    state: str
    amount: Money
    captured: Money
    refunded: Money
    gateway: str
    started_at: datetime
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class CreditableLine:
    position: int
    description: str
    net: Money
    left: Money


@dataclass(frozen=True, slots=True)
class Booked:
    """A Document with its books: what finance sees beside the paper."""

    postings: tuple[PostingShown, ...]
    payments: tuple[PaymentShown, ...]
    segments: tuple[SegmentShown, ...] = field(default=())


def month_at_a_glance(*, now: datetime) -> Month:
    """The seller's current month by currency; raises NoSeller."""
    zone = parties.default_seller().time_zone
    during = months.month_of(instant=now, zone=zone)
    first, last = numbering.day(now=during.start, zone=zone), numbering.day(now=now, zone=zone)
    issued = _sums(Document.objects.filter(issued_on__gte=first, issued_on__lte=last).values("currency", "kind"), "gross_minor")
    billed, credited = _of_kind(issued, Document.Kind.INVOICE), _of_kind(issued, Document.Kind.CREDIT_NOTE)
    collected = _sums(Payment.objects.filter(settled_at__gte=during.start, settled_at__lt=during.end).values("currency"), "captured_minor")
    given_back = Refund.objects.filter(state=Refund.State.SUCCEEDED, settled_at__gte=during.start, settled_at__lt=during.end)
    refunded = _sums(given_back.values("currency"), "amount_minor")
    left = F("gross_minor") - F("status__credited_minor") - F("status__paid_minor") + F("status__refunded_minor")
    owed = _sums(Document.objects.annotate(left=left).filter(left__gt=0).values("currency"), "left")
    running = Agreement.objects.filter(state__in=[Agreement.State.OPEN, Agreement.State.ENDED], documents__isnull=True)
    unbilled = _sums(running.values("currency"), "gross_minor")
    used = {key[0] for sums in (issued, collected, refunded, owed, unbilled) for key in sums} | {settings.CURRENCIES[0]}
    glances = tuple(
        Glance(currency, *(Money.from_minor(sums.get((currency,), 0), currency) for sums in (billed, credited, collected, refunded, owed, unbilled)))
        for currency in sorted(used)
    )
    return Month(during, first, last, glances)


def finance_documents(*, filters: Filters, after: str = "", now: datetime, size: int = keyset.SIZE) -> Page[documents.Listed]:
    """The Documents that match, in the wanted order."""
    page = keyset.page(_found(filters, now), order=filters.sort if filters.sort in SORTS else "-pk", after=after, size=size)
    return Page([documents.listed(row) for row in page.items], page.next, page.count)


def records(*, filters: Filters, now: datetime) -> Iterator[columns.Record]:
    """All Documents that match, oldest first, read in chunks: for a table that streams."""
    return (documents.record(row) for row in _found(filters, now).order_by("pk").iterator(chunk_size=500))


def refuse_too_many(*, filters: Filters, now: datetime) -> None:
    """Raise TooManyForAWorkbook when the match does not fit into one workbook made while someone waits."""
    count = _found(filters, now).count()
    if count > MOST_IN_A_WORKBOOK:
        message = _("%(count)s documents are too many for one workbook. Narrow the filter to at most %(most)s, or take the CSV, which has no limit.")
        raise TooManyForAWorkbook(message % {"count": count, "most": MOST_IN_A_WORKBOOK}, count=count, most=MOST_IN_A_WORKBOOK)


def books_of(*, user: Any, number: str) -> Booked:
    """Postings, payments and usage behind one Document, for finance; raises NotFound and NotAllowed."""
    accounts.require_staff(user, roles.FINANCE)
    row = documents.row_for(user=user, number=number)
    behind = Q(entry__document=row) | Q(entry__refund__document=row)
    payments = Payment.objects.none()
    segments = UsageSegment.objects.none()
    if row.agreement_id:
        behind |= Q(entry__payment__agreement=row.agreement_id)
        payments = Payment.objects.filter(agreement=row.agreement_id).order_by("pk")
        segments = UsageSegment.objects.filter(line__agreement=row.agreement_id).select_related("line").order_by("line__position", "during")
    postings = Posting.objects.filter(behind).select_related("entry", "account").order_by("entry__id", "id")
    return Booked(
        postings=tuple(PostingShown(p.entry.posted_at, p.entry.kind, p.account.name, Money.from_minor(p.amount_minor, p.currency)) for p in postings),
        payments=tuple(_payment(payment) for payment in payments),
        segments=tuple(SegmentShown(s.line.position, s.rental, s.kind, Period(s.during.lower, s.during.upper), s.quantity) for s in segments),
    )


def creditable_lines(*, user: Any, number: str) -> list[CreditableLine]:
    """The lines of an invoice with what credit notes have left of them, for finance; raises NotFound (also for a credit note) and NotAllowed."""
    accounts.require_staff(user, roles.FINANCE)
    row = documents.row_for(user=user, number=number)
    if row.kind != Document.Kind.INVOICE:
        raise NotFound()
    notes = list(Document.objects.filter(corrects=row).values_list("snapshot", flat=True))
    lines = []
    for line in row.snapshot["lines"]:
        credited = sum(item["net_minor"] for note in notes for item in note["lines"] if item["position"] == line["position"])
        left = Money.from_minor(line["net_minor"] + credited, row.currency)
        lines.append(CreditableLine(line["position"], line["description"], Money.from_minor(line["net_minor"], row.currency), left))
    return lines


def _found(filters: Filters, now: datetime) -> QuerySet:
    rows = documents.stated(Document.objects.all(), numbering.day(now=now, zone=parties.default_seller().time_zone))
    if filters.text:
        text = filters.text.strip()
        wanted = ("number", "customer_name", "agreement__reference", "snapshot__customer__number")
        match = Q()
        for name in wanted:
            match |= Q(**{f"{name}__icontains": text})
        rows = rows.filter(match)
    exact = {"kind": filters.kind, "state": filters.state, "currency": filters.currency, "issued_on__gte": filters.since, "issued_on__lte": filters.until}
    rows = rows.filter(**{name: value for name, value in exact.items() if value})
    for bound, name in ((filters.least, "gross_minor__gte"), (filters.most, "gross_minor__lte")):
        if bound is not None:
            rows = rows.filter(_amount(bound, name))
    return rows


def _amount(bound: Decimal, name: str) -> Q:
    """The bound in each currency's own minor units."""
    match = Q(pk__in=[])
    for currency in settings.CURRENCIES:
        match |= Q(**{"currency": currency, name: int(round_half_up(bound.scaleb(exponent(currency)), 0))})
    return match


def _sums(rows: QuerySet, of: str) -> dict[tuple, int]:
    """{(currency, ...): sum} of grouped rows."""
    return {tuple(value for name, value in row.items() if name != "total"): int(row["total"] or 0) for row in rows.annotate(total=Sum(of)).order_by()}


def _of_kind(issued: dict[tuple, int], kind: str) -> dict[tuple, int]:
    return {(currency,): total for (currency, of_kind), total in issued.items() if of_kind == kind}


def _payment(payment: Payment) -> PaymentShown:
    amounts = (payment.amount_minor, payment.captured_minor, payment.refunded_minor)
    amount, captured, refunded = (Money.from_minor(minor, payment.currency) for minor in amounts)
    return PaymentShown(
        payment.number, payment.state, amount, captured, refunded, payment.gateway_intent or "", payment.started_at, payment.settled_at
    )  # fmt: skip
