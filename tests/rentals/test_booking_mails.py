"""Every mail of a Booking reads well in both languages."""

from pathlib import Path

import pytest

from portal.accounts.models import Letter
from portal.accounts.queries import letters
from rentals.services.bookings import moves

FACTS = {
    "served": "75.60 USD", "refunded": "12.40 USD", "has_refund": True, "credit_note": "CN-2026-000001", "since": "2026-12-01T10:00:00+00:00",
    "expires": "2026-12-01T10:00:00+00:00", "amount": "431.83 USD",
}  # fmt: skip
KINDS = sorted(path.stem.removeprefix("booking_") for path in Path("templates/mail").glob("booking_*.txt"))


def test_there_is_a_mail_for_each_thing_that_is_told():
    assert KINDS == sorted(
        ["cancelled", "confirmed", "degraded", "double_payment", "ended", "ends_soon", "failed", "hold_expiring", "late_payment", "ready", "starts_soon"]
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_mail_names_the_booking_and_leaves_no_gap(desk, kind, language):
    desk.cast.ada.language = language
    desk.cast.ada.save()
    booking = desk.hold()
    moves.tell(booking=booking, kind=kind, now=desk.now, **FACTS)

    text = letters.text_of(Letter.objects.get(user=desk.cast.ada, kind=f"booking_{kind}"))

    assert booking.number in text.subject
    assert f"/bookings/{booking.number}/" in text.body
    assert "\n\n\n\n" not in text.body
    assert not any(mark in text.subject + text.body for mark in ("None", "{{", "{%", "%("))
