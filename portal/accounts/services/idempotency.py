"""The same keyed request, acted on once. The act and its stored answer are one transaction, so a crash leaves both or neither."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from datetime import datetime

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, OperationalError, connection, transaction

from portal.accounts.models import IdempotencyKey
from portal.kernel.errors import Conflict, InvalidInput

LOCK_NOT_AVAILABLE = "55P03"
MOST_CHARACTERS = 120


class KeyReused(Conflict):
    """This Idempotency-Key was used before with another request."""

    code = "idempotency_key_reused"
    status = 422


class StillActing(Conflict):
    """The first request with this Idempotency-Key is still being worked on. Repeat in a moment."""

    code = "idempotency_in_progress"


class UnusableKey(InvalidInput):
    """An Idempotency-Key holds 1 to 120 characters."""

    code = "idempotency_key_unusable"


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the act answered: JSON-ready `body` and HTTP `status`. `repeated` is True when it is the stored answer of an earlier request."""

    body: object = None
    status: int = 200
    repeated: bool = False


def once(*, scope: str, key: str, request: object, act: Callable[[], Answer], now: datetime, wait_ms: int = 5_000) -> Answer:
    """Call `act` and keep its Answer, or give the kept Answer when `scope` has sent `key` before. `request` is whatever makes the request what it is.

    A concurrent repeat waits for the first up to `wait_ms`. When `act` raises, nothing is kept and a repeat acts anew. `act` runs inside the
    transaction: no network in it. Raises KeyReused, StillActing, UnusableKey.
    """
    if not 1 <= len(key) <= MOST_CHARACTERS:
        raise UnusableKey()
    request_hash = _fingerprint(request)
    with transaction.atomic():
        row = _claim(scope, key, request_hash, now, wait_ms)
        if row is None:
            return _kept(scope, key, request_hash)
        answer = act()
        body = json.loads(json.dumps(answer.body, cls=DjangoJSONEncoder))
        IdempotencyKey.objects.filter(pk=row.pk).update(status=answer.status, body=body)
    return Answer(body=body, status=answer.status)


def forget(*, before: datetime) -> int:
    """Delete keys first used before `before`; returns how many."""
    return IdempotencyKey.objects.filter(created_at__lt=before).delete()[0]


def _fingerprint(request: object) -> str:
    canonical = json.dumps(request, sort_keys=True, separators=(",", ":"), cls=DjangoJSONEncoder)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _claim(scope: str, key: str, request_hash: str, now: datetime, wait_ms: int) -> IdempotencyKey | None:
    """Our row, or None when a committed one is there. PostgreSQL lets the second of two inserts wait until the first transaction ends."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout')")
            usual = cursor.fetchone()[0]
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{wait_ms}ms"])
            row = IdempotencyKey.objects.create(scope=scope, key=key, request_hash=request_hash, created_at=now)
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [usual])
            return row
    except IntegrityError:
        return None
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") == LOCK_NOT_AVAILABLE:
            raise StillActing() from error
        raise


def _kept(scope: str, key: str, request_hash: str) -> Answer:
    row = IdempotencyKey.objects.get(scope=scope, key=key)
    if row.request_hash != request_hash:
        raise KeyReused()
    if row.status is None:
        raise StillActing()
    return Answer(body=row.body, status=row.status, repeated=True)
