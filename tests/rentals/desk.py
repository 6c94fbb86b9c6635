"""Plays everyone whom a Booking meets: the customer, the till, the engines and the clock."""

from __future__ import annotations

from datetime import datetime, timedelta

from billing.models import Agreement, Payment
from billing.services import agreements
from portal.kernel.period import Period
from rentals.models import Assignment, Booking
from rentals.services import bookings

HOUR = timedelta(hours=1)
KEY = {"name": "laptop", "public_key": "ssh-ed25519 AAAA ada", "fingerprint": "SHA256:abc"}


class Desk:
    def __init__(self, cast, racks, now: datetime) -> None:
        self.cast, self.racks, self.now = cast, racks, now

    def during(self, start: float = 1, hours: float = 24) -> Period:
        """`hours` from `start` hours after now."""
        return Period.starting(self.now + start * HOUR, hours * HOUR)

    def hold(self, *, start: float = 1, hours: float = 24, **wish) -> Booking:
        facts = {
            "by": self.cast.ada,
            "organisation": self.cast.lab,
            "configuration": self.racks.a100x8,
            "quantity": 1,
            "during": self.during(start, hours),
            "image": self.racks.image,
            "ssh_keys": [KEY],
            "now": self.now,
        }
        return bookings.hold(**{**facts, **wish})

    def pay(self, booking: Booking, *, now: datetime | None = None) -> str:
        """The money arrives: billing opens the Agreement and announces it. Returns the invoice's number."""
        agreement = Agreement.objects.by_number(booking.agreement).get()
        payment = Payment.objects.create(
            agreement=agreement, state="succeeded", amount_minor=agreement.gross_minor, captured_minor=agreement.gross_minor,
            currency=agreement.currency, started_at=now or self.now, settled_at=now or self.now,
        )  # fmt: skip
        return agreements.open_on_payment(agreement=booking.agreement, payment=payment, now=now or self.now)

    def book(self, **wish) -> Booking:
        """Held, paid, confirmed."""
        booking = self.hold(**wish)
        self.pay(booking)
        return bookings.confirm(agreement=booking.agreement, now=self.now)

    def run(self, **wish) -> Booking:
        """Held, paid, confirmed, prepared and ready at its start."""
        booking = self.book(**wish)
        for assignment in self.assignments(booking):
            bookings.observe_preparing(assignment=assignment, at=assignment.guarded.lower, now=assignment.guarded.lower)
        for assignment in self.assignments(booking):
            bookings.observe_ready(assignment=assignment, at=booking.during.lower, now=booking.during.lower)
        return self.again(booking)

    def hand_back(self, booking: Booking, at: datetime) -> Booking:
        for assignment in self.assignments(booking):
            bookings.observe_handed_back(assignment=assignment, at=at, now=at)
        return self.again(booking)

    def assignments(self, booking: Booking) -> list[Assignment]:
        return list(booking.assignments.filter(live=True).select_related("booking__configuration", "unit").order_by("line", "pk"))

    def again(self, booking: Booking) -> Booking:
        return Booking.objects.select_related("configuration").get(pk=booking.pk)
