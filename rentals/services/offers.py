"""What a customer does with an offer: look at it, accept it, decline it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.accounts.services import terms
from portal.kernel.errors import Conflict
from rentals.models import Booking, Quote
from rentals.queries import quotes as read
from rentals.services import bookings, quotes
from rentals.services.bookings import capacity

TIME_TO_PAY = timedelta(hours=24)


class QuoteExpired(Conflict):
    """This offer is over. Ask for a new one."""

    code = "quote_expired"


class OfferClosed(Conflict):
    """This offer is no longer open."""

    code = "offer_closed"


def note_viewed(*, quote: Quote, now: datetime) -> None:
    """Remember when the customer first read it."""
    if quote.viewed_at is None:
        Quote.objects.filter(pk=quote.pk, viewed_at__isnull=True).update(viewed_at=now)


def accept(*, quote: Quote, by: Any, name: str, role: str, ssh_keys: Sequence[Mapping[str, str]], address: str | None, now: datetime) -> list[Booking]:
    """Accept the terms and turn every line into a held Booking at the quoted price, all or nothing; each then waits for its payment, a day at most. Accepting
    again returns the same Bookings. Raises QuoteExpired, OfferClosed, NotAllowed for who may not book for the Organisation, and what bookings.hold raises."""
    accounts.check_role(by, quote.organisation, roles=roles.BOOKERS)
    with capacity.judged(), transaction.atomic():
        capacity.lock(configurations=[line.configuration for line in read.lines_of(quote)])
        quote = quotes.locked(quote=quote)
        if quote.state == Quote.State.ACCEPTED:
            return list(quote.bookings.order_by("pk"))
        _refuse_closed(quote, now)
        terms.accept(by=by, organisation=quote.organisation, address=address, now=now)
        held = _hold_lines(quote, by, ssh_keys, now)
        quotes.move(
            quote=quote, to=Quote.State.ACCEPTED, by=by, now=now, decided_at=now, decided_by_name=name, decided_by_role=role, decided_from=address
        )  # fmt: skip
        quotes.tell_manager(quote=quote, kind="quote_accepted", now=now, name=name, role=role)
        return held


@transaction.atomic
def decline(*, quote: Quote, name: str, reason: str, address: str | None, now: datetime) -> None:
    """The customer does not want it; no log-in is asked for. Raises QuoteExpired, OfferClosed."""
    quote = quotes.locked(quote=quote)
    _refuse_closed(quote, now)
    quotes.move(
        quote=quote, to=Quote.State.DECLINED, by=None, now=now, decided_at=now, decided_by_name=name, decline_reason=reason, decided_from=address
    )  # fmt: skip
    quotes.tell_manager(quote=quote, kind="quote_declined", now=now, name=name, reason=reason)


def _refuse_closed(quote: Quote, now: datetime) -> None:
    if quote.state == Quote.State.EXPIRED or (quote.state == Quote.State.SENT and now >= quote.valid_until):
        raise QuoteExpired(_("This offer is over. Ask your account manager to renew it."))
    if quote.state == Quote.State.SUPERSEDED:
        raise OfferClosed(_("A newer version has taken the place of this offer."))
    if quote.state != Quote.State.SENT:
        raise OfferClosed(_("This offer is no longer open."))


def _hold_lines(quote: Quote, by: Any, ssh_keys: Sequence[Mapping[str, str]], now: datetime) -> list[Booking]:
    priced = read.offer(quote, now=now).lines
    return [
        bookings.hold(
            by=by,
            organisation=quote.organisation,
            configuration=line.configuration,
            quantity=line.quantity,
            during=offered.during,
            image=line.image,
            ssh_keys=ssh_keys,
            storage_class=line.storage_class,
            storage_tb=line.storage_tb,
            quote=quote,
            frozen=offered.frozen,
            hold_for=min(TIME_TO_PAY, offered.during.start - now),
            now=now,
        )
        for line, offered in zip(read.lines_of(quote), priced, strict=True)
    ]
