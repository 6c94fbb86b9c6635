"""From a wish to a confirmed Booking: hold, pay, or let go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from billing.services import agreements
from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.accounts.services import audit, projects
from portal.kernel.period import Period
from rentals import signals
from rentals.domain import lifecycle, limits
from rentals.models import Booking, Configuration, Image, StorageClass
from rentals.queries import prices, refusals, wishes
from rentals.services.bookings import attempts, capacity, moves
from rentals.services.bookings.refused import AlreadyPaid, CheckoutIncomplete, HoldIsOver, LimitReached, OutsideTheRules, TermsNotAccepted

HELD, CONFIRMED, CANCELLED, EXPIRED = Booking.State.HELD, Booking.State.CONFIRMED, Booking.State.CANCELLED, Booking.State.EXPIRED


@dataclass(frozen=True, slots=True)
class _Wish:
    """`quote` and its `frozen` price lines when an accepted Quote is turned into the Booking."""

    organisation: Any
    configuration: Configuration
    quantity: int
    during: Period
    image: Image
    ssh_keys: Sequence[Mapping[str, str]]
    storage_class: StorageClass | None
    storage_tb: int
    project_id: int | None
    purchase_order: str
    quote: Any
    frozen: Sequence[Mapping[str, object]] | None
    hold_for: timedelta


def hold(
    *,
    by: Any,
    organisation: Any,
    configuration: Configuration,
    quantity: int,
    during: Period,
    image: Image,
    ssh_keys: Sequence[Mapping[str, str]],
    now: datetime,
    storage_class: StorageClass | None = None,
    storage_tb: int = 0,
    idempotency_key: str | None = None,
    project_id: int | None = None,
    purchase_order: str = "",
    quote: Any = None,
    frozen: Sequence[Mapping[str, object]] | None = None,
    hold_for: timedelta | None = None,
) -> Booking:
    """Take the Units, all or nothing, and open the Agreement pending at today's price (or the Quote's `frozen` lines): one transaction. The Booking is held
    until `hold_expires_at`. A repeat with the same key returns the first Booking.

    Raises NotAllowed, CheckoutIncomplete, TermsNotAccepted, NoSuchProject, OutsideTheRules, LimitReached, NotFree, UnitTaken, and what billing's
    open_pending raises."""
    _may_book(organisation, by, quote, now)
    length = hold_for or timedelta(minutes=settings.HOLD_MINUTES)
    wish = _Wish(
        organisation, configuration, quantity, during, image, ssh_keys, storage_class, storage_tb, project_id, purchase_order, quote, frozen, length
    )  # fmt: skip
    if (first := known(organisation=organisation, key=idempotency_key)) is not None:
        return first
    try:
        with capacity.judged(), transaction.atomic():
            return _hold(wish, by, idempotency_key, now)
    except IntegrityError:
        first = known(organisation=organisation, key=idempotency_key)  # the same request was faster on another connection
        if first is None:
            raise
        return first


@transaction.atomic
def confirm(*, agreement: str, now: datetime) -> Booking:
    """The Agreement is open: the Booking is confirmed and its Deployments are planned. A repeat changes nothing, however many roads lead here.
    Raises HoldIsOver when the hold ended first, which billing's lapse prevents."""
    booking = moves.locked(booking=Booking.objects.get(agreement=agreement))
    if booking.state in (CANCELLED, EXPIRED):
        raise HoldIsOver()
    if booking.state == HELD:
        moves.move(booking=booking, to=CONFIRMED, now=now, payment_pending=False)
        signals.booking_confirmed.send(sender=Booking, booking=booking, now=now)
        moves.tell(booking=booking, kind="confirmed", now=now)
    return booking


@transaction.atomic
def release(*, booking: Booking, by: Any, now: datetime) -> None:
    """Let go of a hold. A payment that still arrives is refunded. Raises HoldIsOver, AlreadyPaid when the payment was faster."""
    booking = moves.locked(booking=booking)
    if booking.state in (CANCELLED, EXPIRED):
        raise HoldIsOver(_("This hold is over. Nothing is held any more; make a new one."))
    if booking.state != HELD:
        raise AlreadyPaid(_("The payment was faster: this booking is confirmed. End it to get the rest of the money back."))
    _let_go(booking, CANCELLED, by, now)


def expire_holds(*, now: datetime) -> int:
    """End the holds whose time is over. One whose payment was faster is confirmed instead. Returns how many expired."""
    due = Booking.objects.filter(state=HELD, hold_expires_at__lte=now).order_by("pk").values_list("pk", flat=True)
    return sum(attempts.attempted(act=_expire, pk=pk, now=now) for pk in list(due))


def warn_of_expiry(*, now: datetime) -> None:
    """Say once that a hold longer than the checkout's ends within a day: nobody needs a mail about the quarter of an hour he is paying in."""
    usual = timedelta(minutes=settings.HOLD_MINUTES)
    soon = Booking.objects.filter(state=HELD, hold_expires_at__gt=now, hold_expires_at__lte=now + timedelta(days=1)).select_related("configuration")
    for booking in soon.order_by("pk"):
        until = booking.hold_expires_at
        if until is not None and until - booking.created_at > usual:
            moves.tell(booking=booking, kind="hold_expiring", now=now, expires=until.isoformat())


def _expire(*, pk: int, now: datetime) -> bool:
    with transaction.atomic():
        booking = Booking.objects.select_for_update(skip_locked=True).select_related("configuration").filter(pk=pk, state=HELD).first()
        if booking is None:
            return False
        try:
            _let_go(booking, EXPIRED, None, now)
        except AlreadyPaid:
            confirm(agreement=booking.agreement, now=now)
            return False
    return True


def _let_go(booking: Booking, to: str, by: Any, now: datetime) -> None:
    try:
        agreements.lapse(number=booking.agreement, now=now)
    except agreements.AgreementIsOpen as error:
        raise AlreadyPaid(_("The payment was faster: this booking is confirmed. End it to get the rest of the money back.")) from error
    capacity.free(booking=booking)
    moves.move(booking=booking, to=to, now=now, by=by)


def _may_book(organisation: Any, by: Any, quote: Any, now: datetime) -> None:
    """Who accepts a Quote was let in by its link: his role, and a key for the machine, are asked of those who book by themselves."""
    if quote is None:
        accounts.check_role(by, organisation, roles=roles.BOOKERS)
    missing = accounts.missing_for_checkout(organisation, by)
    if missing:
        names = ", ".join(str(item) for item in missing)
        message = _("Before you can book, this is missing: %(names)s.") % {"names": names}
        raise CheckoutIncomplete(message, missing=[item.code for item in missing])
    if not accounts.has_accepted_terms(organisation, now):
        raise TermsNotAccepted(_("Accept the terms of service first."), field="terms")


def known(*, organisation: Any, key: str | None) -> Booking | None:
    """The Booking that the Organisation made with this key before."""
    return Booking.objects.filter(organisation=organisation, idempotency_key=key).first() if key else None


def _hold(wish: _Wish, by: Any, key: str | None, now: datetime) -> Booking:
    rules = wishes.limits_of(configuration=wish.configuration, organisation=wish.organisation, storage_class=wish.storage_class)
    broken = limits.broken(rules, during=wish.during, quantity=wish.quantity, storage_tb=wish.storage_tb, now=now)
    if broken is not None:
        raise OutsideTheRules(refusals.broken_rule(broken), field=broken.field, rule=broken.rule.value)
    if not wish.ssh_keys and wish.quote is None:
        raise OutsideTheRules(_("Choose an SSH key, or paste one: without it nobody can log in."), field="ssh_keys")
    project = None if wish.project_id is None else projects.keep(organisation=wish.organisation, project_id=wish.project_id)
    capacity.lock(configurations=[wish.configuration])
    admission = capacity.admit(configuration=wish.configuration, during=wish.during, quantity=wish.quantity, now=now)
    capacity.admit_storage(storage_class=wish.storage_class, storage_tb=wish.storage_tb, during=wish.during)
    booking = _row(wish, by, key, now)
    capacity.assign(booking=booking, admission=admission, during=wish.during)
    _open_agreement(booking, wish, project, by, now)
    _within_cap(booking, rules, wish)  # with billing's account locked: two Bookings of one customer do not both slip below his limit
    moves.note(booking=booking, kind="held", at=now, until=(now + wish.hold_for).isoformat())
    audit.record(
        verb="booking.held", subject=booking.number, by=by, organisation=wish.organisation, now=now, configuration=wish.configuration.sku,
        quantity=wish.quantity, start=wish.during.start.isoformat(), end=wish.during.end.isoformat(), agreement=booking.agreement,
    )  # fmt: skip
    return booking


def _within_cap(booking: Booking, rules: limits.Limits, wish: _Wish) -> None:
    others = Booking.objects.filter(
        organisation=wish.organisation, state__in=lifecycle.LIVE_BOOKING, during__overlap=(wish.during.start, wish.during.end)
    ).exclude(pk=booking.pk)  # fmt: skip
    uses = [(Period(span.lower, span.upper), quantity) for span, quantity in others.values_list("during", "quantity")]
    broken = limits.too_many(rules, during=wish.during, quantity=wish.quantity, others=uses)
    if broken is not None:
        raise LimitReached(refusals.broken_rule(broken), field=broken.field, rule=broken.rule.value, allowed=broken.allowed)


def _row(wish: _Wish, by: Any, key: str | None, now: datetime) -> Booking:
    return Booking.objects.create(
        organisation=wish.organisation,
        project_id=wish.project_id,
        booked_by=by,
        configuration=wish.configuration,
        quote=wish.quote,
        quantity=wish.quantity,
        during=capacity.stored(during=wish.during),
        state=HELD,
        state_since=now,
        payment_pending=True,
        hold_expires_at=now + wish.hold_for,
        image=wish.image,
        ssh_keys=[dict(ssh_key) for ssh_key in wish.ssh_keys],
        storage_class=wish.storage_class,
        storage_tb=wish.storage_tb,
        idempotency_key=key,
        created_at=now,
    )


def _open_agreement(booking: Booking, wish: _Wish, project: Any, by: Any, now: datetime) -> None:
    pending = agreements.open_pending(
        organisation=wish.organisation,
        wanted=prices.wanted(
            configuration=wish.configuration, quantity=wish.quantity, storage_class=wish.storage_class, storage_tb=wish.storage_tb
        ),
        during=wish.during,
        reference=booking.number,
        path=moves.path_of(booking=booking),
        title=f"{wish.quantity} × {wish.configuration.name}",
        by=by,
        now=now,
        frozen=wish.frozen,
        project=project.name if project else "",
        cost_centre=project.cost_centre if project else "",
        purchase_order=wish.purchase_order,
    )  # fmt: skip
    Booking.objects.filter(pk=booking.pk).update(agreement=pending.number)
    booking.agreement = pending.number
