"""Writing entries into the books: each business fact once, by its key."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from billing.domain import ledger
from billing.models import BillingAccount, Document, Entry, LedgerAccount, LegalEntity, Payment, Posting, Refund
from portal.kernel.money import Money


@transaction.atomic
def post(
    *,
    booked: ledger.Booked,
    account: BillingAccount,
    now: datetime,
    document: Document | None = None,
    payment: Payment | None = None,
    refund: Refund | None = None,
) -> bool:
    """Write `booked` with its postings. Returns False, and writes nothing, when its key is in the books already or nothing moves."""
    if not booked.legs:
        return False
    facts = {"kind": booked.kind, "posted_at": now, "document": document, "payment": payment, "refund": refund}
    entry, made = Entry.objects.get_or_create(key=booked.key, defaults=facts)
    if not made:
        return False
    accounts = _accounts(account.seller, {leg.account for leg in booked.legs})
    Posting.objects.bulk_create(
        Posting(
            entry=entry,
            account=accounts[leg.account],
            customer=account if leg.of_customer else None,
            amount_minor=leg.amount.minor,
            currency=leg.amount.currency,
        )
        for leg in booked.legs
    )
    return True


def payment_settled(*, payment: Payment, now: datetime) -> bool:
    """The gateway holds what was captured. Once per Payment."""
    booked = ledger.payment_settled(payment=payment.number, amount=Money.from_minor(payment.captured_minor, payment.currency))
    return post(booked=booked, account=payment.agreement.account, now=now, payment=payment)


def is_posted(*, key: str) -> bool:
    """Whether the fact with this key is in the books."""
    return Entry.objects.filter(key=key).exists()


def _accounts(seller: LegalEntity, codes: set[str]) -> dict[str, LedgerAccount]:
    found = {row.code: row for row in LedgerAccount.objects.filter(seller=seller, code__in=codes)}
    for code in sorted(codes - found.keys()):
        found[code] = LedgerAccount.objects.get_or_create(seller=seller, code=code, defaults={"name": ledger.ACCOUNTS[code]})[0]
    return found
