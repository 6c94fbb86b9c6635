"""What billing announced, and what it means for the Booking. Called by the ring and by the sweep alike; each is idempotent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from billing.services import announcements
from rentals.models import Booking
from rentals.services.bookings import holding, moves


def read_announcements(*, now: datetime) -> int:
    """Work on what billing has announced and nobody has read. Returns how many were handled."""
    acts = {
        "agreement_opened": lambda said: holding.confirm(agreement=said.facts["agreement"], now=now),
        "late_payment_refunded": lambda said: tell_late_payment(reference=said.facts["reference"], amount=said.facts["amount"], now=now),
        "payment_failed": lambda said: _note_on(said.facts["reference"], "payment_failed", said, now, reason=said.facts.get("reason", "")),
        "document_issued": lambda said: _note_on(said.facts["reference"], "document_issued", said, now, document=said.facts["document"]),
    }
    return sum(announcements.handle(kind=kind, act=act, now=now) for kind, act in acts.items())


@transaction.atomic
def tell_late_payment(*, reference: str, amount: Any, now: datetime) -> None:
    """A payment came after its hold had ended: it is on its way back. Say so once, clearly."""
    booking = _booking(reference)
    if booking is not None and moves.note(booking=booking, kind="late_payment_refunded", at=now, amount=str(amount)):
        moves.tell(booking=booking, kind="late_payment", now=now, amount=str(amount))


def _note_on(reference: str, kind: str, said: Any, now: datetime, **facts: str) -> None:
    booking = _booking(reference)
    if booking is not None:
        moves.note(booking=booking, kind=kind, at=said.announced_at, key=f"{kind}:{said.id}", **facts)


def _booking(reference: str) -> Booking | None:
    """None for what billing did for somebody else: not every reference is a Booking's."""
    return Booking.objects.by_number(reference).select_related("configuration").first()
