"""Faults of GPUs, on the synchronous path: what was acknowledged to the agent is in the database."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from django.db import transaction

from monitoring.domain.samples import Event
from monitoring.models import GpuEvent
from monitoring.queries import streams
from portal.live import push


@transaction.atomic
def record(*, server: str, events: Iterable[Event], now: datetime) -> int:
    """Write `events` of one Server down and tell open pages to look. A repeat adds nothing. Returns how many were new."""
    before = GpuEvent.objects.filter(server=server).count()
    GpuEvent.objects.bulk_create(
        [
            GpuEvent(server=server, gpu=event.gpu, code=event.code, at=datetime.fromtimestamp(event.at, UTC), text=event.text, received_at=now)
            for event in events
        ],
        ignore_conflicts=True,
    )
    added = GpuEvent.objects.filter(server=server).count() - before
    if added:
        push.hint(streams.faults_group(server), "faults")
    return added
