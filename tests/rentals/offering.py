"""Plays the account manager who makes an offer."""

from __future__ import annotations

from datetime import datetime, timedelta

from portal.kernel.period import Period
from rentals.models import Quote
from rentals.services import quotes


def drafted(cast, racks, now: datetime) -> Quote:
    """Mei's draft for Lovelace Labs, valid for a week: one A100 server for 100 hours from tomorrow."""
    quote = quotes.draft(by=cast.mei, organisation=cast.lab, title="Training week", valid_until=now + timedelta(days=7), now=now)
    during = Period.starting(now + timedelta(days=1), timedelta(hours=100))
    quotes.add_line(quote=quote, by=cast.mei, configuration=racks.a100x8, quantity=1, during=during, image=racks.image, now=now)
    return quote


def sent(cast, racks, now: datetime) -> Quote:
    quote = drafted(cast, racks, now)
    quotes.send(quote=quote, by=cast.mei, now=now)
    return Quote.objects.select_related("organisation", "manager").get(pk=quote.pk)
