"""What an Agreement comes to once it is over, or if it ended at some instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from billing.domain import document, pricing, proration, settlement, snapshot
from billing.domain.tax import Decision
from billing.models import Agreement, AgreementLine, Document
from portal.kernel.errors import NotFound
from portal.kernel.money import Money, total
from portal.kernel.period import Period


@dataclass(frozen=True, slots=True)
class Settlement:
    """`served` is the net of what was used, `credit` what goes back, net, tax and gross (positive). `credit_note` and `refunds` are public numbers, empty
    when there was nothing to give back or this is a preview."""

    agreement: str
    invoiced: Money
    served: Money
    credit_net: Money
    credit_tax: Money
    credit: Money
    lines: tuple[settlement.Settled, ...]
    credit_note: str = ""
    refunds: tuple[str, ...] = ()


def end_preview(*, agreement: str, at: datetime, segments: Mapping[int, Iterable[proration.Segment]] | None = None) -> Settlement:
    """What ending now would give back: the recorded usage, and for a line without any the whole quantity from the start until `at`. `segments` by line
    position, when given, are taken instead. Raises NotFound."""
    row = agreement_by_number(agreement)
    lines = list(row.lines.all())
    known = segments if segments is not None else segments_of(lines)
    booked = period_of(row)
    filled = {line.position: list(known.get(line.position, ())) or _assumed(line, booked, at) for line in lines}
    return settle(agreement=row, lines=lines, segments=filled)


def ended(*, agreement: str) -> Settlement:
    """The Settlement of an ended Agreement, from its Documents: the same however often it is asked for. Raises NotFound."""
    row = agreement_by_number(agreement)
    lines = list(row.lines.all())
    notes = [document for document in row.documents.all() if document.kind == Document.Kind.CREDIT_NOTE]
    net, tax, gross = (Money.from_minor(-sum(getattr(note, name) for note in notes), row.currency) for name in ("net_minor", "tax_minor", "gross_minor"))
    bare = settle(agreement=row, lines=lines, segments=segments_of(lines))
    refunds = tuple(refund.number for note in notes for refund in note.refunds.all())
    numbers = ", ".join(note.number for note in notes)
    return Settlement(bare.agreement, bare.invoiced, bare.served, net, tax, gross, bare.lines, numbers, refunds)


def settle(*, agreement: Agreement, lines: list[AgreementLine], segments: Mapping[int, list[proration.Segment]]) -> Settlement:
    """Rate `segments` and compare with what was invoiced. Computes only."""
    booked, currency = period_of(agreement), agreement.currency
    notes = [row.snapshot for row in agreement.documents.all() if row.kind == Document.Kind.CREDIT_NOTE]
    steps = [pricing.Step(hours, Decimal(percent)) for hours, percent in agreement.terms]
    settled = tuple(
        settlement.settle(sold=_sold(line, currency, notes), segments=segments.get(line.position, []), booked=booked, steps=steps) for line in lines
    )
    sums = credit_sums(agreement=agreement, nets={item.position: item.credit for item in settled if item.credit}, lines=lines, notes=notes)
    return Settlement(
        agreement=agreement.number,
        invoiced=Money.from_minor(agreement.net_minor, currency),
        served=total([item.served for item in settled], currency),
        credit_net=-sums.net,
        credit_tax=-sums.tax,
        credit=-sums.gross,
        lines=settled,
    )


def credit_sums(*, agreement: Agreement, nets: Mapping[int, Money], lines: list[AgreementLine], notes: list[dict]) -> document.Totals:
    """The totals of a credit note over `nets` by line position (negative), after the notes already issued."""
    currency = agreement.currency
    if not nets:
        return document.totals([], currency)
    decisions = {name: Decision.from_data(data) for name, data in agreement.tax["decisions"].items()}
    taxed = [document.Taxed(nets[line.position], decisions[line.product_class]) for line in lines if line.position in nets]
    every = [document.Taxed(Money.from_minor(line.net_minor, currency), decisions[line.product_class]) for line in lines]
    return document.credit_totals(taxed, invoice=document.totals(every, currency), earlier=[snapshot.totals_of(note) for note in notes])


def segments_of(lines: list[AgreementLine]) -> dict[int, list[proration.Segment]]:
    """The recorded usage of these lines by position."""
    by_line: dict[int, list[proration.Segment]] = {}
    positions = {line.pk: line.position for line in lines}
    for line in lines:
        for row in line.segments.all():
            span = Period(row.during.lower, row.during.upper)
            by_line.setdefault(positions[line.pk], []).append(proration.Segment(row.rental, span, row.quantity, row.kind))
    return by_line


def agreement_by_number(number: str) -> Agreement:
    """The Agreement with its lines, usage and Documents; raises NotFound."""
    rows = Agreement.objects.by_number(number).select_related("account__seller")
    row = rows.prefetch_related("lines__segments", "documents__refunds").first()
    if row is None:
        raise NotFound()
    return row


def period_of(agreement: Agreement) -> Period:
    return Period(agreement.during.lower, agreement.during.upper)


def _assumed(line: AgreementLine, booked: Period, at: datetime) -> list[proration.Segment]:
    if at <= booked.start:
        return []
    return [proration.Segment(line.sku, Period(booked.start, at), line.quantity)]


def _sold(line: AgreementLine, currency: str, notes: list[dict]) -> settlement.Sold:
    net = Money.from_minor(line.net_minor, currency)
    credited = sum(-item["net_minor"] for note in notes for item in note["lines"] if item["position"] == line.position)
    return settlement.Sold(
        position=line.position,
        rate=Money(line.rate, currency),
        percent=line.discount_percent,
        percent_from_terms=line.discount_from_terms,
        granule_seconds=line.granule_seconds,
        minimum_seconds=line.minimum_seconds,
        net=net,
        billed_hours=line.billed_hours,
        credited=Money.from_minor(credited, currency),
    )
