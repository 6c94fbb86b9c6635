"""Quotes as their manager makes them: drafted, sent with frozen prices, revised, withdrawn. What customers do with an offer is in services.offers."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.accounts.services import audit, notifications
from portal.kernel.errors import Conflict, InvalidInput, LostRace, NotFound
from portal.kernel.period import Period
from rentals.domain import lifecycle
from rentals.models import Configuration, Image, Quote, QuoteLine, StorageClass
from rentals.queries import quotes

DRAFT, SENT, EXPIRED, SUPERSEDED, WITHDRAWN = Quote.State.DRAFT, Quote.State.SENT, Quote.State.EXPIRED, Quote.State.SUPERSEDED, Quote.State.WITHDRAWN


class NotADraft(Conflict):
    """What was sent does not change any more: make a new version."""

    code = "not_a_draft"


class NothingOffered(Conflict):
    """There is no line in this quote yet."""

    code = "nothing_offered"


class DiscountTooHigh(InvalidInput):
    """This discount is above what you may give."""

    code = "discount_too_high"


@transaction.atomic
def draft(*, by: Any, organisation: Any, title: str, valid_until: datetime, now: datetime, message: str = "", internal_note: str = "") -> Quote:
    """Begin a Quote for an Organisation, in its currency. Raises InvalidInput when it would be over before it is sent."""
    _refuse_past(valid_until, now)
    quote = Quote.objects.create(
        organisation=organisation,
        manager=by,
        state_since=now,
        title=title,
        message=message,
        internal_note=internal_note,
        currency=organisation.currency,
        valid_until=valid_until,
        seller_zone=by.time_zone,
        created_at=now,
    )
    audit.record(verb="quote.drafted", subject=quote.number, by=by, organisation=organisation, now=now)
    return quote


@transaction.atomic
def edit(*, quote: Quote, by: Any, title: str, valid_until: datetime, now: datetime, message: str = "", internal_note: str = "") -> None:
    """Change a draft's head. Raises NotADraft, InvalidInput."""
    _refuse_past(valid_until, now)
    quote = _locked_draft(quote)
    quote.title, quote.valid_until, quote.message, quote.internal_note = title, valid_until, message, internal_note
    quote.save(update_fields=["title", "valid_until", "message", "internal_note"])


@transaction.atomic
def add_line(
    *,
    quote: Quote,
    by: Any,
    configuration: Configuration,
    quantity: int,
    during: Period,
    image: Image,
    now: datetime,
    storage_class: StorageClass | None = None,
    storage_tb: int = 0,
    discount_percent: Decimal = Decimal(0),
) -> QuoteLine:
    """Add `quantity` x Configuration. A discount stands in place of the term discount. Raises NotADraft, InvalidInput, DiscountTooHigh, and what pricing
    raises for a sku without a price."""
    quote = _locked_draft(quote)
    _refuse_discount(by, discount_percent)
    if during.start <= now:
        raise InvalidInput(_("The start lies in the past."), field="start")
    line = QuoteLine.objects.create(
        quote=quote,
        configuration=configuration,
        quantity=quantity,
        during=(during.start, during.end),
        image=image,
        storage_class=storage_class if storage_tb else None,
        storage_tb=storage_tb,
        discount_percent=discount_percent,
        position=quote.lines.count() + 1,
    )
    line.refresh_from_db()
    quotes.snapshot_of(quote, now=now)  # a line that cannot be priced is not kept
    return line


@transaction.atomic
def remove_line(*, quote: Quote, line_id: int, by: Any) -> None:
    """Take a line out of a draft. Raises NotADraft, NotFound."""
    quote = _locked_draft(quote)
    if not quote.lines.filter(pk=line_id).delete()[0]:
        raise NotFound()


@transaction.atomic
def send(*, quote: Quote, by: Any, now: datetime) -> None:
    """Freeze prices and tax, tell the customer, and put the version before out of force. Raises NotADraft, NothingOffered, InvalidInput (validity or a start
    in the past) and what pricing raises."""
    quote = _locked_draft(quote)
    _refuse_past(quote.valid_until, now)
    lines = list(quote.lines.order_by("position"))
    if not lines:
        raise NothingOffered(_("Add a line first: there is nothing to offer yet."))
    if any(line.during.lower <= now for line in lines):
        raise InvalidInput(_("A line starts in the past by now. Take it out and add it again."), field="start")
    snapshot = quotes.snapshot_of(quote, now=now)
    move(quote=quote, to=SENT, by=by, now=now, snapshot=snapshot, sent_at=now)
    if quote.supersedes is not None and quote.supersedes.state == SENT:
        move(quote=quote.supersedes, to=SUPERSEDED, by=by, now=now)
    tell_customer(quote=quote, kind="quote_sent", now=now)


@transaction.atomic
def revise(*, quote: Quote, by: Any, now: datetime) -> Quote:
    """A new draft with the same lines, to take the place of one that was sent. The old one stays in force until then. Raises Conflict for a decided one."""
    if quote.state not in (SENT, EXPIRED, Quote.State.DECLINED):
        raise Conflict(_("Only an offer that was sent and not accepted can be revised."))
    new = Quote.objects.create(
        organisation=quote.organisation,
        manager=by,
        version=quote.version + 1,
        supersedes=quote,
        state_since=now,
        title=quote.title,
        message=quote.message,
        internal_note=quote.internal_note,
        currency=quote.organisation.currency,
        valid_until=max(quote.valid_until, now + (quote.valid_until - quote.created_at)),
        created_at=now,
    )
    for line in quote.lines.order_by("position"):
        line.pk, line.quote, line._state.adding = None, new, True
        line.save()
    audit.record(verb="quote.revised", subject=new.number, by=by, organisation=quote.organisation, now=now, supersedes=quote.number)
    return new


@transaction.atomic
def withdraw(*, quote: Quote, by: Any, now: datetime) -> None:
    """Take the offer back. Raises IllegalMove for a decided one."""
    move(quote=locked(quote=quote), to=WITHDRAWN, by=by, now=now)


def expire_due(*, now: datetime) -> int:
    """End the offers whose validity is over, and tell their managers. Returns how many."""
    due = Quote.objects.filter(state=SENT, valid_until__lte=now).order_by("pk")
    return sum(_expire(quote, now) for quote in list(due.select_related("organisation", "manager")))


def locked(*, quote: Quote) -> Quote:
    """The row as it stands, locked until the transaction ends."""
    return Quote.objects.select_for_update(of=("self",)).select_related("organisation", "manager", "supersedes").get(pk=quote.pk)


def move(*, quote: Quote, to: str, by: Any, now: datetime, **changes: Any) -> None:
    """Move a Quote by compare-and-set, and write it down. Raises IllegalMove, LostRace."""
    lifecycle.QUOTE.check(quote.state, to)
    if not Quote.objects.filter(pk=quote.pk, state=quote.state).update(state=to, state_since=now, **changes):
        raise LostRace()
    for name, value in {"state": to, "state_since": now, **changes}.items():
        setattr(quote, name, value)
    audit.record(verb=f"quote.{to}", subject=quote.number, by=by, organisation=quote.organisation, now=now)


def tell_customer(*, quote: Quote, kind: str, now: datetime) -> None:
    """A mail with the link to those who may book for the Organisation."""
    _tell(accounts.members_of(quote.organisation, roles.BOOKERS), quote, kind, quotes.path_of(quote), now)


def tell_manager(*, quote: Quote, kind: str, now: datetime, **facts: str) -> None:
    """A mail to the manager whose Quote it is."""
    _tell([quote.manager], quote, kind, f"/sales/{quote.number}/", now, **facts)


def _tell(people: list, quote: Quote, kind: str, path: str, now: datetime, **facts: str) -> None:
    notifications.notify(
        users=people,
        kind=kind,
        key=f"{quote.number}:{kind}",
        subject=quote.number,
        path=path,
        now=now,
        organisation=quote.organisation,
        title=quote.title,
        customer=quote.organisation.name,
        manager=quote.manager.name or quote.manager.email,
        valid_until=quote.valid_until.isoformat(),
        **facts,
    )


@transaction.atomic
def _expire(quote: Quote, now: datetime) -> bool:
    quote = locked(quote=quote)
    if quote.state != SENT or quote.valid_until > now:
        return False
    move(quote=quote, to=EXPIRED, by=None, now=now)
    tell_manager(quote=quote, kind="quote_expired", now=now)
    return True


def _locked_draft(quote: Quote) -> Quote:
    quote = locked(quote=quote)
    if quote.state != DRAFT:
        raise NotADraft(_("This quote was sent: it does not change any more. Make a new version."))
    return quote


def _refuse_past(valid_until: datetime, now: datetime) -> None:
    if valid_until <= now:
        raise InvalidInput(_("The offer would be over before it is sent: choose a later day."), field="valid_until")


def _refuse_discount(by: Any, percent: Decimal) -> None:
    most = Decimal(100) if by.is_superuser else Decimal(settings.QUOTE_DISCOUNT_PERCENT)
    if not 0 <= percent <= most:
        raise DiscountTooHigh(_("A discount lies between 0 and %(most)s percent.") % {"most": most}, field="discount_percent")
