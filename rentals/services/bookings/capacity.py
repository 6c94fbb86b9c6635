"""Taking and giving back capacity. Lock the UnitClasses in id order, decide, insert; the exclusion constraint stays as the judge."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import IntegrityError, OperationalError
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils.translation import gettext as _

from portal.kernel.period import Period
from rentals.domain import lifecycle
from rentals.domain.availability import Admission, Refusal, decide
from rentals.domain.stock import Pool, Reason, Stock, peak, whole_second
from rentals.models import Assignment, Booking, Component, Configuration, StorageClass, Unit, UnitClass
from rentals.queries import availability, prices, refusals
from rentals.services.bookings.refused import NotFree, UnitTaken

EXCLUSION_VIOLATION, DEADLOCK = "23P01", "40P01"


def lock(*, configurations: Iterable[Configuration]) -> None:
    """Lock, in id order, every UnitClass of the server models that serve these Configurations: also those whose Units nest in theirs."""
    models = Component.objects.filter(configuration__in=list(configurations)).values("unit_kind__server_model")
    wanted = list(UnitClass.objects.filter(kind__server_model__in=models).values_list("pk", flat=True))
    list(UnitClass.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))


@contextlib.contextmanager
def judged() -> Iterator[None]:
    """Around a transaction that takes Units: what the database refuses as taken, or breaks off as a deadlock, becomes UnitTaken."""
    try:
        yield
    except (IntegrityError, OperationalError) as error:
        if getattr(error.__cause__, "sqlstate", "") in (EXCLUSION_VIOLATION, DEADLOCK):
            raise UnitTaken(_("Somebody else was faster: this was taken a moment ago. Nothing was booked.")) from error
        raise


def admit(*, configuration: Configuration, during: Period, quantity: int, now: datetime) -> Admission:
    """Where a Booking fits; called with the classes locked. Raises NotFree with everything that can be had instead."""
    pools = availability.pools_of(configurations=[configuration], now=now)[configuration.pk]
    decision = decide(pools, during, quantity, until=availability.horizon(configuration, now))
    if isinstance(decision, Refusal):
        raise NotFree(refusals.why_not(decision), **refusals.facts_of(decision))
    return decision


def admit_storage(*, storage_class: StorageClass | None, storage_tb: int, during: Period) -> None:
    """Lock the storage and see that there is enough of it throughout. Raises NotFree."""
    if storage_class is None or not storage_tb:
        return
    held = StorageClass.objects.select_for_update().get(pk=storage_class.pk)
    live = Booking.objects.filter(storage_class=held, state__in=lifecycle.LIVE_BOOKING, during__overlap=(during.start, during.end))
    used = peak([(Period(span.lower, span.upper), tb) for span, tb in live.values_list("during", "storage_tb")], during)
    if used + storage_tb > held.capacity_tb:
        free = held.capacity_tb - used
        message = _("%(free)s TB of storage are free at that time, %(wanted)s were asked for.") % {"free": free, "wanted": storage_tb}
        raise NotFree(message, field="storage_tb", reason=Reason.QUANTITY.value, limiting=held.sku, needed=storage_tb, free=free)


def assign(*, booking: Booking, admission: Admission, during: Period) -> list[Assignment]:
    """Write one Assignment for each Unit chosen, with its guard as of now."""
    components = {component.unit_kind.sku: (line, component) for line, component in enumerate(prices.components_of(booking.configuration), start=1)}
    rows = Unit.objects.in_bulk([stock.unit.id for _kind, stock in admission.chosen])
    assignments = []
    for kind, stock in admission.chosen:
        line, component = components[kind]
        guarded = stock.unit.guarded(during)
        assignments.append(_assignment(booking, component, line, rows[stock.unit.id], during, guarded))
    return Assignment.objects.bulk_create(assignments)


def replace(*, assignment: Assignment, now: datetime) -> Assignment | None:
    """With the classes locked: give up the Unit and go on with the same rental on another Server of the class, for what is left of the Period. None, and
    nothing changed, when no Unit is free."""
    booking = assignment.booking
    start = max(assignment.during.lower, whole_second(now))
    if start >= assignment.during.upper:
        return None
    during = Period(start, assignment.during.upper)
    free = [stock for stock in _class_stocks(assignment, now) if stock.is_free(during) and stock.unit.server != assignment.server_id]
    if not free:
        return None
    chosen = max(free, key=lambda stock: (stock.free_since(during.start), -stock.unit.id))
    Assignment.objects.filter(pk=assignment.pk).update(live=False)
    guarded = Period(max(now, chosen.unit.guarded(during).start), chosen.unit.guarded(during).end)
    row = _assignment(booking, assignment.component, assignment.line, Unit.objects.get(pk=chosen.unit.id), during, guarded)
    row.rental = assignment.rental
    row.save(force_insert=True)
    return row


def give_back(*, assignment: Assignment, at: datetime) -> None:
    """The tenant is out since `at`: what was guarded beyond the wipe that follows can be sold again. An end that was due then changes nothing."""
    during, guarded = assignment.during, assignment.guarded
    if at < during.upper:
        left = Period(min(guarded.lower, at), at + (guarded.upper - during.upper))
        Assignment.objects.filter(pk=assignment.pk).update(guarded=stored(during=left))


def free(*, booking: Booking) -> None:
    """Nothing has been touched yet: every Unit can be sold again at once."""
    Assignment.objects.filter(booking=booking, live=True).update(live=False)


def stored(*, during: Period) -> DateTimeTZRange:
    """A Period as its column holds it, so that a row just written reads like one just loaded."""
    return DateTimeTZRange(during.start, during.end)


def _assignment(booking: Booking, component: Any, line: int, unit: Unit, during: Period, guarded: Period) -> Assignment:
    own = uuid.uuid4()
    return Assignment(
        id=own,
        rental=own,
        line=line,
        booking=booking,
        component=component,
        unit=unit,
        unit_class_id=unit.unit_class_id,
        server_id=unit.server_id,
        slots=unit.slots,
        during=stored(during=during),
        guarded=stored(during=guarded),
    )


def _class_stocks(assignment: Assignment, now: datetime) -> list[Stock]:
    configuration = assignment.booking.configuration
    pools: list[Pool] = availability.pools_of(configurations=[configuration], now=now)[configuration.pk]
    found = {stock.unit.id: stock for pool in pools for part in pool.parts for stock in part.stocks}
    return [stock for stock in found.values() if stock.unit.unit_class == assignment.unit_class_id]
