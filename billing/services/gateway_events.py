"""Events of the gateway: stored as they came, worked on later by reading the object again, so that any order and any repetition end in the same state."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F

from billing.domain import payments as moves
from billing.gateways import base
from billing.models import GatewayEvent, GatewayWatch
from billing.services import captures, gateway, refunds
from portal.kernel.errors import DomainError, InvalidInput, NotFound
from portal.toolkit.tasks import after_commit

log = logging.getLogger(__name__)
READ_EVERY, OVERLAP = timedelta(minutes=5), timedelta(minutes=10)
FIRST_LOOK_BACK = timedelta(days=1)


class NotSigned(InvalidInput):
    """This message was not signed by the payment service."""

    code = "bad_signature"


def receive(*, body: bytes, signature: str, now: datetime) -> str:
    """Store a signed event; a repeat changes nothing. Returns its id once it is committed. Raises NotSigned."""
    try:
        event = gateway.current().read_event(body=body, signature=signature, secrets=settings.STRIPE_WEBHOOK_SECRETS)
    except base.BadSignature as error:
        raise NotSigned() from error
    _store([event], now)
    return event.id


def apply(*, event_id: str, now: datetime) -> None:
    """Work on a stored event. One that cannot be worked on now stays open for a later sweep; a repeat does nothing."""
    row = GatewayEvent.objects.filter(pk=event_id, processed_at__isnull=True).first()
    if row is None:
        return
    try:
        remark = _work(row, now)
    except Exception as error:  # whatever it is: the row stays, the others go on
        attempts = row.attempts + 1
        again = now + moves.pause_before_retry(attempts=attempts)
        GatewayEvent.objects.filter(pk=row.pk).update(attempts=attempts, next_attempt_at=again, error=str(error)[:500])
        expected = isinstance(error, (base.OutcomeUnknown, base.Refused, DomainError))
        log.warning("event %s (%s) stays open: %s", row.pk, row.type, error, exc_info=not expected)
        return
    GatewayEvent.objects.filter(pk=row.pk).update(processed_at=now, next_attempt_at=None, attempts=F("attempts") + 1, error=remark)


def work_again(*, event_id: str, now: datetime) -> str:
    """Work on a stored event once more, done with or not; harmless, as every repetition is. Returns what came of it. Raises NotFound."""
    if not GatewayEvent.objects.filter(pk=event_id).update(processed_at=None, next_attempt_at=now):
        raise NotFound()
    apply(event_id=event_id, now=now)
    row = GatewayEvent.objects.get(pk=event_id)
    return row.error or ("done" if row.processed_at else "open")


def due(*, now: datetime, limit: int = 100) -> list[str]:
    """Ids of stored events that wait to be worked on."""
    rows = GatewayEvent.objects.filter(processed_at__isnull=True, next_attempt_at__lte=now).order_by("next_attempt_at", "event_id")
    return list(rows.values_list("pk", flat=True)[:limit])


def fetch_missed(*, now: datetime, since: datetime | None = None) -> int:
    """Store the events that the gateway lists and that never arrived. Without `since`: from where the last reading ended, when it is time again.
    Returns how many were new."""
    if since is None:
        since = _due_from(now)
    if since is None:
        return 0
    new = _store(gateway.current().events_since(since=since), now)
    GatewayWatch.objects.update_or_create(name="events", defaults={"read_until": now, "next_read_at": now + READ_EVERY})
    return new


def _due_from(now: datetime) -> datetime | None:
    """From when on to read, if it is time; puts the next reading off, so that two sweeps do not both read."""
    watch, made = GatewayWatch.objects.get_or_create(name="events", defaults={"read_until": now - FIRST_LOOK_BACK, "next_read_at": now + READ_EVERY})
    if not made and not GatewayWatch.objects.filter(name="events", next_read_at__lte=now).update(next_read_at=now + READ_EVERY):
        return None
    return watch.read_until - OVERLAP


def _store(events: list[base.EventSeen], now: datetime) -> int:
    """Insert or ignore; ring for those that are new."""
    known = set(GatewayEvent.objects.filter(pk__in=[event.id for event in events]).values_list("pk", flat=True))
    new = [event for event in events if event.id not in known]
    GatewayEvent.objects.bulk_create((_row(event, now) for event in new), ignore_conflicts=True)
    for event in new:
        after_commit("billing.apply_event", event_id=event.id)
    return len(new)


def _row(event: base.EventSeen, now: datetime) -> GatewayEvent:
    if event.api_version != gateway.current().api_version:
        log.warning("event %s came in version %s of the gateway's interface", event.id, event.api_version)
    return GatewayEvent(
        event_id=event.id, type=event.type, object_id=event.object_id, api_version=event.api_version, payload=event.payload, received_at=now,
        next_attempt_at=now,
    )  # fmt: skip


def _work(row: GatewayEvent, now: datetime) -> str:
    """Read again what the event is about and apply it. Returns a remark, empty when all went its way."""
    subject = row.payload["data"]["object"]
    kind, intent = subject.get("object"), subject.get("payment_intent")
    try:
        if kind == "payment_intent":
            ours = captures.apply_intent(seen=gateway.current().intent(id=row.object_id), now=now)
        elif kind == "checkout.session":
            ours = captures.apply_checkout(seen=gateway.current().checkout(id=row.object_id), now=now)
        elif kind in ("refund", "charge") and intent:
            ours = _apply_refunds(intent, now)
        else:
            return "nothing to do"
    except base.NoSuchObject as error:
        return str(error)
    return "" if ours else "not ours"


def _apply_refunds(intent: str, now: datetime) -> bool:
    """The payment first, in case this event overtook the news of it, then every refund of it."""
    if not captures.apply_intent(seen=gateway.current().intent(id=intent), now=now):
        return False
    for seen in gateway.current().refunds_of(intent=intent):
        refunds.apply(seen=seen, now=now)
    return True
