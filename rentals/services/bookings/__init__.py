"""Bookings: held, confirmed, made real, ended. One name for each act (docs/architecture.md)."""

from rentals.services.bookings.announced import read_announcements, tell_refunded
from rentals.services.bookings.ending import AlreadyOver, cancel, end_due, end_now, remind
from rentals.services.bookings.holding import confirm, expire_holds, hold, release, warn_of_expiry
from rentals.services.bookings.observing import (
    observe_failed,
    observe_handed_back,
    observe_lost,
    observe_preparing,
    observe_ready,
    observe_restored,
    reassign,
)
from rentals.services.bookings.ordering import order
from rentals.services.bookings.refused import (
    AlreadyPaid,
    CheckoutIncomplete,
    HoldIsOver,
    LimitReached,
    NotFree,
    OutsideTheRules,
    TermsNotAccepted,
    UnitTaken,
)
from rentals.services.bookings.sweeping import sweep

__all__ = [
    "AlreadyOver", "AlreadyPaid", "CheckoutIncomplete", "HoldIsOver", "LimitReached", "NotFree", "OutsideTheRules", "TermsNotAccepted", "UnitTaken",
    "cancel", "confirm", "end_due", "end_now", "expire_holds", "hold", "observe_failed", "observe_handed_back", "observe_lost", "observe_preparing",
    "observe_ready", "observe_restored", "order", "read_announcements", "reassign", "release", "remind", "sweep", "tell_refunded", "warn_of_expiry",
]  # fmt: skip
