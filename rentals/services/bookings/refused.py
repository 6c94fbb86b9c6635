"""Why a Booking was refused."""

from __future__ import annotations

from portal.kernel.errors import Conflict, InvalidInput


class NotFree(Conflict):
    """This is not free at that time."""

    code = "not_free"


class UnitTaken(Conflict):
    """Somebody else was faster: this was taken a moment ago. Nothing was booked."""

    code = "unit_taken"


class OutsideTheRules(InvalidInput):
    """This cannot be booked in this way."""

    code = "outside_the_rules"


class LimitReached(Conflict):
    """Your organisation has reached its limit."""

    code = "limit_reached"


class CheckoutIncomplete(Conflict):
    """Something is missing before you can book."""

    code = "checkout_incomplete"


class TermsNotAccepted(Conflict):
    """Accept the terms of service first."""

    code = "terms_not_accepted"


class HoldIsOver(Conflict):
    """This hold is over. Nothing is held any more; make a new one."""

    code = "hold_is_over"


class AlreadyPaid(Conflict):
    """The payment was faster: this booking is confirmed. End it to get the rest of the money back."""

    code = "already_paid"
