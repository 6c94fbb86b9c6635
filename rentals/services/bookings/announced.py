"""What billing announced, and what it means for the Booking. Called by the ring and by the sweep alike; each is idempotent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from billing.services import announcements
from rentals.models import Booking
from rentals.services.bookings import holding, moves

OVER_UNPAID = (Booking.State.EXPIRED, Booking.State.CANCELLED)


def read_announcements(*, now: datetime) -> int:
    """Work on what billing has announced and nobody has read. Returns how many were handled."""
    acts = {
        "agreement_opened": lambda said: holding.confirm(agreement=said.facts["agreement"], now=now),
        "late_payment_refunded": lambda said: tell_refunded(reference=said.facts["reference"], amount=said.facts["amount"], source=str(said.id), now=now),
        "payment_failed": lambda said: _note_on(said.facts["reference"], "payment_failed", said, now, reason=said.facts.get("reason", "")),
        "document_issued": lambda said: _note_on(said.facts["reference"], "document_issued", said, now, document=said.facts["document"]),
    }
    return sum(announcements.handle(kind=kind, act=act, now=now) for kind, act in acts.items())


@transaction.atomic
def tell_refunded(*, reference: str, amount: str, source: str, now: datetime) -> None:
    """A payment could not be taken: it came after the hold had ended, or a second time. It is on its way back; say so once for each `source`, clearly."""
    booking = _booking(reference)
    if booking is None:
        return
    kind = "late_payment" if booking.state in OVER_UNPAID else "double_payment"
    if moves.note(booking=booking, kind=f"{kind}_refunded", at=now, key=f"refunded:{source}", amount=amount):
        moves.tell(booking=booking, kind=kind, now=now, key=f":{source}", amount=amount)


def _note_on(reference: str, kind: str, said: Any, now: datetime, **facts: str) -> None:
    booking = _booking(reference)
    if booking is not None:
        moves.note(booking=booking, kind=kind, at=said.announced_at, key=f"{kind}:{said.id}", **facts)


def _booking(reference: str) -> Booking | None:
    """None for what billing did for somebody else: not every reference is a Booking's."""
    return Booking.objects.by_number(reference).select_related("configuration").first()
