"""What must never be wrong about the books, looked at from outside: the database holds most of it by constraints, this finds what got past them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal

from django.db.models import Count, F, Max, Q, Sum

from billing.domain import document, ledger, proration, snapshot
from billing.models import Agreement, Document, DocumentStatus, Entry, Payment, Posting, Refund, Series
from billing.queries import settlements
from portal.kernel.money import Money


def audit() -> list[str]:
    """One sentence for each thing that is wrong; empty when nothing is."""
    return [finding for check in CHECKS for finding in check()]


def entries_balance() -> Iterator[str]:
    """Every entry sums to zero per currency."""
    sums = Posting.objects.values("entry__key", "currency").annotate(total=Sum("amount_minor")).exclude(total=0).order_by("entry__key")
    for row in sums:
        yield f"entry {row['entry__key']} is out of balance by {row['total']} {row['currency']}"


def numbers_have_no_gap() -> Iterator[str]:
    """Numbers of a series run from 1 to N and their days never go back."""
    for series in Series.objects.annotate(count=Count("documents"), highest=Max("documents__sequence")):
        if series.last_number != series.count or series.last_number != (series.highest or 0):
            yield f"series {series.prefix} holds {series.count} documents up to {series.highest}, its counter says {series.last_number}"
    before: tuple = (None, None, "")
    for series_id, issued_on, number in Document.objects.order_by("series_id", "sequence").values_list("series_id", "issued_on", "number").iterator():
        if series_id == before[0] and issued_on < before[1]:
            yield f"{number} goes back in time: it is dated {issued_on}, earlier than {before[2]}"
        before = (series_id, issued_on, number)


def documents_are_unchanged() -> Iterator[str]:
    """The hash of each snapshot is the one of its issue, and its columns say the same as its content."""
    for row in Document.objects.order_by("pk").iterator(chunk_size=500):
        content = row.snapshot
        if document.sha256(content) != row.sha256:
            yield f"{row.number} is not what was issued: its hash differs"
        columns = (row.number, row.kind, row.currency, row.net_minor, row.tax_minor, row.gross_minor, row.issued_on.isoformat())
        if columns != tuple(content[name] for name in ("number", "kind", "currency", "net_minor", "tax_minor", "gross_minor", "issued_on")):
            yield f"{row.number} does not add up: its columns differ from its content"
        yield from _sums_hold(row)


def credits_fit() -> Iterator[str]:
    """Credit notes together never exceed their invoice, in net, tax or gross, carry its tax decision, and its status counts them."""
    statuses = DocumentStatus.objects.select_related("document").annotate(
        net=Sum("document__credit_notes__net_minor"), tax=Sum("document__credit_notes__tax_minor"), gross=Sum("document__credit_notes__gross_minor")
    )
    for status in statuses.order_by("pk").iterator(chunk_size=500):
        invoice = status.document
        left = [getattr(invoice, f"{name}_minor") + (getattr(status, name) or 0) for name in ("net", "tax", "gross")]
        if min(left) < 0:
            yield f"{invoice.number} is credited beyond its amounts: {left} left"
        if status.credited_minor != -(status.gross or 0):
            yield f"{invoice.number} says {status.credited_minor} is credited, its credit notes say {-(status.gross or 0)}"
    for note in Document.objects.filter(kind=Document.Kind.CREDIT_NOTE).select_related("corrects").order_by("pk").iterator(chunk_size=500):
        decided = {(tax["category"], tax["rate"]) for tax in note.corrects.snapshot["taxes"]} if note.corrects else set()
        if not {(tax["category"], tax["rate"]) for tax in note.snapshot["taxes"]} <= decided:
            yield f"{note.number} is taxed otherwise than its invoice"


def refunds_fit() -> Iterator[str]:
    """What a payment counts as refunded is the sum of its refunds, and never more than was captured."""
    living = Sum("refunds__amount_minor", filter=~Q(refunds__state=Refund.State.FAILED))
    for payment in Payment.objects.annotate(wanted=living).order_by("pk").iterator(chunk_size=500):
        if payment.refunded_minor != (payment.wanted or 0) or payment.refunded_minor > payment.captured_minor:
            yield f"{payment.number} says {payment.refunded_minor} is refunded, its refunds say {payment.wanted or 0}"


def ratings_replay() -> Iterator[str]:
    """Rating the usage of each ended Agreement again gives the rated items, and invoice less credits is at least what was served."""
    ended = Agreement.objects.filter(state=Agreement.State.ENDED).prefetch_related("lines__segments", "lines__rated_items", "documents")
    for row in ended.order_by("pk").iterator(chunk_size=100):
        lines = list(row.lines.all())
        segments = settlements.segments_of(lines)
        for line in lines:
            again = proration.rate_line(
                segments=segments.get(line.position, []), booked=settlements.period_of(row), granule_seconds=line.granule_seconds,
                minimum_seconds=line.minimum_seconds,
            )  # fmt: skip
            if {(item.rental, item.billed_seconds) for item in again} != {(item.rental, item.billed_seconds) for item in line.rated_items.all()}:
                yield f"{row.number}: line {line.position} is rated otherwise now"
        owed = settlements.settle(agreement=row, lines=lines, segments=segments)
        if owed.credit_net:
            yield f"{row.number}: {owed.credit_net} was never credited"


def agreements_are_paid() -> Iterator[str]:
    """What runs or ran has its invoice; what lapsed has none."""
    began = Agreement.objects.filter(state__in=(Agreement.State.OPEN, Agreement.State.ENDED), documents__isnull=True)
    for agreement in began.order_by("pk"):
        yield f"{agreement.number} is {agreement.state} without an invoice"
    for agreement in Agreement.objects.filter(state=Agreement.State.LAPSED, documents__isnull=False).distinct().order_by("pk"):
        yield f"{agreement.number} has lapsed and has a document"


def facts_are_booked() -> Iterator[str]:
    """Each Document, settled payment and refund has its entry, once by its key."""
    keys = set(Entry.objects.values_list("key", flat=True))
    wanted = [(f"document:{number}", number) for number in Document.objects.exclude(gross_minor=0).values_list("number", flat=True)]
    wanted += [(f"payment:{row.number}", row.number) for row in Payment.objects.filter(captured_minor__gt=0)]
    for refund in Refund.objects.all():
        wanted.append((f"refund-wanted:{refund.number}", refund.number))
        if refund.state in (Refund.State.SUCCEEDED, Refund.State.FAILED):
            wanted.append((f"refund{'-failed' if refund.state == Refund.State.FAILED else ''}:{refund.number}", refund.number))
    for key, subject in wanted:
        if key not in keys:
            yield f"{subject} has no entry {key}"


def receivables_match() -> Iterator[str]:
    """Per customer and currency the receivables are what his Documents say, less what he paid, plus what goes back."""
    expected: dict[tuple[int, str], int] = defaultdict(int)
    for account, currency, total in Document.objects.values_list("account", "currency").annotate(total=Sum("gross_minor")).order_by():
        expected[(account, currency)] += total
    paid = Payment.objects.values_list("agreement__account", "currency").annotate(total=Sum(F("captured_minor") - F("refunded_minor"))).order_by()
    for account, currency, total in paid:
        expected[(account, currency)] -= total
    booked = Posting.objects.filter(account__code=ledger.RECEIVABLES).values_list("customer", "currency").annotate(total=Sum("amount_minor")).order_by()
    found = {(account, currency): total for account, currency, total in booked}
    for key in sorted(expected.keys() | found.keys()):
        if expected.get(key, 0) != found.get(key, 0):
            yield f"receivables of account {key[0]}: {found.get(key, 0)} in the books, {expected.get(key, 0)} {key[1]} by documents and payments"


def clearing_matches() -> Iterator[str]:
    """Per currency the gateway holds what was captured less what it refunded."""
    expected: dict[str, int] = defaultdict(int)
    for currency, total in Payment.objects.values_list("currency").annotate(total=Sum("captured_minor")).order_by():
        expected[currency] += total
    for currency, total in Refund.objects.filter(state=Refund.State.SUCCEEDED).values_list("currency").annotate(total=Sum("amount_minor")).order_by():
        expected[currency] -= total
    booked = Posting.objects.filter(account__code=ledger.CLEARING).values_list("currency").annotate(total=Sum("amount_minor")).order_by()
    found = dict(booked)
    for currency in sorted(expected.keys() | found.keys()):
        if expected.get(currency, 0) != found.get(currency, 0):
            yield f"gateway clearing in {currency}: {found.get(currency, 0)} in the books, {expected.get(currency, 0)} by payments and refunds"


def deferred_matches() -> Iterator[str]:
    """Per currency what is deferred is the net of the Documents of Agreements that have not ended, and of Documents without one."""
    waiting = Document.objects.exclude(agreement__state=Agreement.State.ENDED)
    expected = dict(waiting.values_list("currency").annotate(total=-Sum("net_minor")).order_by())
    booked = Posting.objects.filter(account__code=ledger.DEFERRED).values_list("currency").annotate(total=Sum("amount_minor")).order_by()
    found = dict(booked)
    for currency in sorted(expected.keys() | found.keys()):
        if expected.get(currency, 0) != found.get(currency, 0):
            yield f"deferred revenue in {currency}: {found.get(currency, 0)} in the books, {expected.get(currency, 0)} by documents"


CHECKS: tuple[Callable[[], Iterator[str]], ...] = (
    entries_balance,
    numbers_have_no_gap,
    documents_are_unchanged,
    credits_fit,
    refunds_fit,
    ratings_replay,
    agreements_are_paid,
    facts_are_booked,
    receivables_match,
    clearing_matches,
    deferred_matches,
)


def _sums_hold(row: Document) -> Iterator[str]:
    """Lines to totals to tax in EN 16931 order. The tax of a credit note is cumulative, so only its sum is checked here."""
    content, currency = row.snapshot, row.currency
    stated = snapshot.totals_of(content)
    for line in content["lines"]:
        gross = (Money(Decimal(line["unit_price"]), currency) * Decimal(line["quantity"])).rounded()
        if gross.minor - line["discount_minor"] != line["net_minor"]:
            yield f"{row.number} does not add up: line {line['position']} is not quantity x price - discount"
    nets: dict[tuple[str, str], int] = defaultdict(int)
    for line in content["lines"]:
        nets[(line["tax_category"], line["tax_rate"])] += line["net_minor"]
    if nets != {(tax["category"], tax["rate"]): tax["base_minor"] for tax in content["taxes"]}:
        yield f"{row.number} does not add up: its tax bases are not the sums of its lines"
    exact = all((tax.base * tax.rate * Decimal("0.01")).rounded() == tax.tax for tax in stated.taxes) or row.kind == Document.Kind.CREDIT_NOTE
    if not exact or sum(tax.tax.minor for tax in stated.taxes) != stated.tax.minor or sum(nets.values()) != stated.net.minor:
        yield f"{row.number} does not add up: its totals are not the sums of its lines and taxes"
