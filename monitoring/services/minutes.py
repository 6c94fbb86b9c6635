"""Minutes of readings, from the streams into the database. The streams in Valkey hold five minutes of every Server, whichever web process took them in, so
one sweep writes what is closed, and a crash of any process loses nothing of it; only what Valkey itself loses is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.db.models import Max

from monitoring.domain import rollups
from monitoring.domain.wire import Packed
from monitoring.models import MinuteRollup
from monitoring.queries import agents, audits, streams

AT_ONCE = 50  # Servers for each round trip to Valkey
DELETE_AT_ONCE = 20_000
VALUES = (
    "samples", "utilisation_min", "utilisation_avg", "utilisation_max", "memory_used_avg", "memory_used_max", "power_avg", "power_max", "temperature_avg",
    "temperature_max",
)  # fmt: skip


def keep(*, now: datetime) -> None:
    """One sweep: write what is closed, delete what is old."""
    flush(now=now)
    prune(now=now)


def flush(*, now: datetime) -> int:
    """Write every closed minute that the streams hold in full and the database does not have, or has with fewer readings. Repeating it changes nothing.
    Returns the number of rows written."""
    servers = sorted(set(agents.unrevoked().values()))
    return sum(_flush(servers[place : place + AT_ONCE], now) for place in range(0, len(servers), AT_ONCE))


def prune(*, now: datetime) -> int:
    """Delete some of the minutes that are older than 90 days; the next call deletes more. Returns how many went."""
    old = MinuteRollup.objects.filter(minute__lt=now - timedelta(days=audits.KEPT_DAYS)).order_by("minute")[:DELETE_AT_ONCE]
    return MinuteRollup.objects.filter(pk__in=list(old.values_list("pk", flat=True))).delete()[0]


def _flush(servers: Sequence[str], now: datetime) -> int:
    held = streams.history(servers, messages=streams.KEPT)
    known = _known(held, now)
    rows = [row for server, messages in held.items() for row in _rows(server, messages, known, now)]
    MinuteRollup.objects.bulk_create(rows, batch_size=2000, update_conflicts=True, unique_fields=["server", "gpu", "minute"], update_fields=VALUES)
    return len(rows)


def _known(servers: Iterable[str], now: datetime) -> dict[tuple[str, datetime], int]:
    """The most readings that a row of each Server's recent minutes counts."""
    recent = MinuteRollup.objects.filter(server__in=list(servers), minute__gte=now - timedelta(seconds=2 * streams.EXPIRY))
    return {(server, minute): most for server, minute, most in recent.values_list("server", "minute").annotate(most=Max("samples"))}


def _rows(server: str, messages: Sequence[Packed], known: dict[tuple[str, datetime], int], now: datetime) -> list[MinuteRollup]:
    by_minute: dict[int, list[Packed]] = {}
    for message in messages:
        by_minute.setdefault(rollups.minute_of(message.at), []).append(message)
    if len(messages) >= streams.KEPT:
        del by_minute[min(by_minute)]  # its beginning may have left the stream already
    due = [
        message
        for start, held in by_minute.items()
        if rollups.is_closed(start, now.timestamp()) and len(held) > known.get((server, datetime.fromtimestamp(start, UTC)), 0)
        for message in held
    ]
    return [_row(server, minute) for minute in rollups.roll_up((message.at, message.rows) for message in due)]


def _row(server: str, minute: rollups.Minute) -> MinuteRollup:
    return MinuteRollup(
        server=server,
        gpu=minute.series,
        minute=datetime.fromtimestamp(minute.start, UTC),
        samples=minute.samples,
        utilisation_min=minute.utilisation.least,
        utilisation_avg=minute.utilisation.mean,
        utilisation_max=minute.utilisation.most,
        memory_used_avg=minute.memory_used.mean,
        memory_used_max=minute.memory_used.most,
        power_avg=minute.power.mean,
        power_max=minute.power.most,
        temperature_avg=minute.temperature.mean,
        temperature_max=minute.temperature.most,
    )
