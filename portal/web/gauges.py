"""What the portal tells Prometheus of its work, read from the database when it asks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from billing import queries as billing
from portal.accounts import queries as accounts


def lines(*, now: datetime) -> Iterator[str]:
    """Gauges in the text format of Prometheus."""
    outbox = accounts.outbox(now)
    yield from _gauge("portal_letters_waiting", "Mails not sent and not given up", outbox.waiting)
    yield from _gauge("portal_letters_given_up", "Mails given up in the last day", outbox.given_up)
    yield from _gauge("portal_oldest_letter_seconds", "Age of the oldest mail that waits", outbox.oldest_seconds)
    unheard = len(billing.open_announcements(["agreement_opened"]))
    yield from _gauge("portal_payments_unheard", "Settled payments whose bookings are not confirmed yet, at most 200 counted", unheard)


def _gauge(name: str, text: str, value: float) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} gauge"
    yield f"{name} {value}"
