"""Finance corrects an invoice by hand: a credit note over some of its lines, and what was paid too much goes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from billing.domain import document
from billing.models import Agreement, Document, DocumentStatus, Payment
from billing.services import credits
from portal.accounts.services import idempotency
from portal.kernel.errors import InvalidInput, NotFound
from portal.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Correction:
    """What a credit note by hand would do; all amounts positive."""

    net: Money
    tax: Money
    gross: Money
    refund: Money


def preview(*, invoice: str, amounts: Mapping[int, Money]) -> Correction:
    """What crediting `amounts` (net, positive, by line position) would do. Raises NotFound and CreditExceedsInvoice."""
    row = _invoice(invoice)
    sums = credits.preview(invoice=row, lines=_lines(amounts))
    status = DocumentStatus.objects.get(document=row)
    left = document.open_minor(gross=row.gross_minor, paid=status.paid_minor, credited=status.credited_minor, refunded=status.refunded_minor)
    refund = Money.from_minor(max(0, -(left + sums.gross.minor)), row.currency)
    return Correction(-sums.net, -sums.tax, -sums.gross, refund)


def credit_by_hand(*, invoice: str, amounts: Mapping[int, Money], reason: str, token: str, by: Any, now: datetime) -> str:
    """Issue the credit note and want the refunds; returns its number, and for the same `token` the same number. Raises NotFound, InvalidInput (no reason)
    and CreditExceedsInvoice."""
    if not reason.strip():
        raise InvalidInput(_("Say why: the reason stays in the books."), field="reason")
    wish = {"invoice": invoice, "amounts": {str(position): amount.minor for position, amount in amounts.items()}, "reason": reason}
    answer = idempotency.once(
        scope=f"credit:{by.pk}", key=token, request=wish, act=lambda: idempotency.Answer(body=_credit(invoice, amounts, reason.strip(), by, now)), now=now
    )  # fmt: skip
    return str(answer.body)


@transaction.atomic
def _credit(number: str, amounts: Mapping[int, Money], reason: str, by: Any, now: datetime) -> str:
    row = _invoice(number)
    list(Payment.objects.select_for_update().filter(agreement=row.agreement_id).order_by("id"))
    agreement = Agreement.objects.select_for_update().filter(pk=row.agreement_id).first() if row.agreement_id else None
    # Before the end nothing is revenue yet; afterwards what was not served is credited already, so the rest was.
    earned = Money.zero(row.currency) if agreement is None or agreement.state == Agreement.State.ENDED else None
    note = credits.credit(invoice=row, lines=_lines(amounts), reason=reason[:300], by=by, now=now, unserved=earned)
    credits.refund_what_we_owe(invoice=row, note=note, reason=reason[:300], source=f"credit:{note.number}", now=now)
    return note.number


def _invoice(number: str) -> Document:
    row = Document.objects.select_related("account__seller", "agreement").filter(number=number, kind=Document.Kind.INVOICE).first()
    if row is None:
        raise NotFound()
    return row


def _lines(amounts: Mapping[int, Money]) -> list[credits.Credit]:
    return [credits.Credit(position, -amount, Decimal(0)) for position, amount in sorted(amounts.items()) if amount]
