"""What must never be wrong about the books, looked at from outside: the database holds most of it by constraints, this finds what got past them."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, F, Max, Min, Q, Sum

from billing.domain import document
from billing.models import Agreement, Document, DocumentStatus, Payment, Posting, Refund, Series, UsageSegment


def audit() -> list[str]:
    """One sentence for each thing that is wrong; empty when nothing is."""
    checks = (_entries_balance, _series_have_no_gaps, _documents_are_as_issued, _credits_fit, _refunds_fit, _open_agreements_are_paid, _time_is_rated_once)
    return [finding for check in checks for finding in check()]


def _entries_balance() -> Iterator[str]:
    sums = Posting.objects.values("entry__key", "currency").annotate(left=Sum("amount_minor")).exclude(left=0).order_by("entry__key")
    for row in sums:
        yield f"entry {row['entry__key']} is out of balance by {row['left']} {row['currency']}"


def _series_have_no_gaps() -> Iterator[str]:
    counted = Series.objects.annotate(documents_there=Count("documents"), lowest=Min("documents__sequence"), highest=Max("documents__sequence"))
    for series in counted.order_by("id"):
        there = (series.documents_there, series.lowest or 1, series.highest or 0)
        if there != (series.last_number, 1, series.last_number):
            yield f"series {series.prefix} holds {there[0]} documents from {there[1]} to {there[2]}, its counter says {series.last_number}"
        days = list(series.documents.order_by("sequence").values_list("issued_on", flat=True))
        if days != sorted(days):
            yield f"series {series.prefix} goes back in time"


def _documents_are_as_issued() -> Iterator[str]:
    for row in Document.objects.order_by("id").iterator(chunk_size=500):
        if document.sha256(row.snapshot) != row.sha256:
            yield f"{row.number} is not what was issued: its hash differs"
        if row.net_minor + row.tax_minor != row.gross_minor or sum(line["net_minor"] for line in row.snapshot["lines"]) != row.net_minor:
            yield f"{row.number} does not add up"


def _credits_fit() -> Iterator[str]:
    credited = Document.objects.filter(corrects__isnull=False).values("corrects")
    sums = credited.annotate(net=Sum("net_minor"), tax=Sum("tax_minor"), gross=Sum("gross_minor"))
    noted = {row["corrects"]: row for row in sums}
    for status in DocumentStatus.objects.select_related("document").order_by("document_id"):
        invoice, notes = status.document, noted.get(status.document_id, {"net": 0, "tax": 0, "gross": 0})
        if any(getattr(invoice, f"{part}_minor") + notes[part] < 0 for part in ("net", "tax", "gross")):
            yield f"more is credited than {invoice.number} holds"
        if status.credited_minor != -notes["gross"]:
            yield f"{invoice.number} says {status.credited_minor} is credited, its credit notes say {-notes['gross']}"


def _refunds_fit() -> Iterator[str]:
    wanted = Sum("refunds__amount_minor", filter=~Q(refunds__state=Refund.State.FAILED), default=0)
    for payment in Payment.objects.annotate(wanted=wanted).exclude(refunded_minor=F("wanted")).order_by("id"):
        yield f"{payment.number} says {payment.refunded_minor} is refunded, its refunds say {payment.wanted}"
    for payment in Payment.objects.filter(refunded_minor__gt=F("captured_minor")).order_by("id"):
        yield f"{payment.number} is refunded beyond what was captured"


def _open_agreements_are_paid() -> Iterator[str]:
    began = Agreement.objects.filter(state__in=(Agreement.State.OPEN, Agreement.State.ENDED))
    for agreement in began.filter(documents__isnull=True).order_by("id"):
        yield f"{agreement.number} is {agreement.state} without an invoice"
    lapsed = Agreement.objects.filter(state=Agreement.State.LAPSED, documents__isnull=False).distinct()
    for agreement in lapsed.order_by("id"):
        yield f"{agreement.number} has lapsed and has a document"


def _time_is_rated_once() -> Iterator[str]:
    """Segments of one rental on one line never overlap: every second lies in one of them at most."""
    ordered = UsageSegment.objects.order_by("line_id", "rental", "during").values_list("line_id", "rental", "during", "source")
    before: tuple | None = None
    for line, rental, during, source in ordered.iterator():
        if before and before[:2] == (line, rental) and during.lower < before[2]:
            yield f"usage {source} overlaps the segment before it"
        before = (line, rental, during.upper)
