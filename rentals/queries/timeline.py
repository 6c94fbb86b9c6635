"""The events of a Booking in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.toolkit import states
from rentals.models import Booking, BookingEvent

OK, ATTENTION, FAULT, INFORMATION, NEUTRAL = states.OK, states.ATTENTION, states.FAULT, states.INFORMATION, states.NEUTRAL


@dataclass(frozen=True, slots=True)
class Happening:
    """One line of the timeline, ready to render (templates/_timeline.html)."""

    at: datetime
    text: str
    icon: str
    tone: str
    detail: str = ""


# kind -> words, icon, tone, and the fact that goes beside them
WORDS: dict[str, tuple[str | Promise, str, str, str]] = {
    "held": (_("Held for you"), "hourglass", INFORMATION, ""),
    "confirmed": (_("Paid and confirmed"), "circle-check", OK, ""),
    "preparing": (_("Preparation began"), "progress", INFORMATION, ""),
    "active": (_("Ready for you"), "player-play", OK, ""),
    "ending": (_("Hand-back began"), "clock-pause", INFORMATION, ""),
    "ended": (_("Ended"), "flag", NEUTRAL, ""),
    "cancelled": (_("Cancelled"), "ban", NEUTRAL, ""),
    "expired": (_("The hold ended without a payment"), "calendar-off", NEUTRAL, ""),
    "failed": (_("Could not be started"), "alert-octagon", FAULT, ""),
    "settled": (_("Settled by what was used"), "receipt", INFORMATION, "served"),
    "payment_failed": (_("A payment failed"), "alert-triangle", ATTENTION, "reason"),
    "late_payment_refunded": (_("A late payment goes back to you"), "receipt-refund", ATTENTION, "amount"),
    "double_payment_refunded": (_("It was paid twice; the second payment goes back to you"), "receipt-refund", ATTENTION, "amount"),
    "document_issued": (_("Document issued"), "file-invoice", INFORMATION, "document"),
    "server_failed": (_("A server could not be used"), "alert-octagon", FAULT, "unit"),
    "lost": (_("A server is gone; it is not billed meanwhile"), "alert-octagon", FAULT, "unit"),
    "restored": (_("The server is usable again"), "circle-check", OK, "unit"),
    "replaced": (_("A server was replaced"), "rotate", INFORMATION, "new"),
}


def timeline_of(booking: Booking) -> list[Happening]:
    """What happened to the Booking, the newest first."""
    return [_told(event) for event in booking.events.order_by("-at", "-id")]


def _told(event: BookingEvent) -> Happening:
    text, icon, tone, fact = WORDS.get(event.kind, (event.kind.replace("_", " "), "circle-dotted", NEUTRAL, ""))
    return Happening(event.at, str(text), icon, tone, str(event.facts.get(fact, "")) if fact else "")
