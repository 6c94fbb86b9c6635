"""What must never be wrong about readings, looked at from outside: figures that no reading can have made, and agents that may speak for nobody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Count, F, Q
from django.db.models.functions import TruncMinute

from monitoring.domain import rollups
from monitoring.models import MinuteRollup
from monitoring.queries import agents
from monitoring.queries.streams import KEPT
from rentals.queries import live

KEPT_DAYS = 90  # minutes older than this are deleted
PATIENCE = timedelta(days=1)  # for the sweeper, before an old minute is a finding
ROUNDING = 1e-6  # a mean of equal floats may come out a little beside them
MEASURES = {
    "utilisation": ("utilisation_min", "utilisation_avg", "utilisation_max"),
    "memory_used": ("memory_used_avg", "memory_used_max"),
    "power": ("power_avg", "power_max"),
    "temperature": ("temperature_avg", "temperature_max"),
}


def audit(*, now: datetime) -> list[str]:
    """One sentence for each thing that is wrong; empty when nothing is."""
    return [*_agents_of_nobody(), *_impossible_minutes(now), *_minutes_for_ever(now)]


def _agents_of_nobody() -> Iterator[str]:
    servers = set(agents.unrevoked().values())
    for server in sorted(servers - live.known(serials=servers)):
        yield f"the agent of {server} may still send, but no such server stands in the fleet: revoke it"


def _impossible_minutes(now: datetime) -> Iterator[str]:
    """A missing reading counts nowhere, so a minute without instants has no figures, and figures of one measure are missing together."""
    wrong = Q(minute__gt=now - timedelta(seconds=rollups.SECONDS)) | ~Q(minute=TruncMinute("minute")) | Q(samples__gt=KEPT)
    wrong |= Q(utilisation_min__lt=0) | Q(utilisation_max__gt=100)
    for figures in MEASURES.values():
        wrong |= _partly_missing(figures) | Q(samples=0, **{f"{figures[0]}__isnull": False})
        for lower, upper in zip(figures, figures[1:], strict=False):
            wrong |= Q(**{f"{lower}__gt": F(upper) + ROUNDING})
    for server, count in MinuteRollup.objects.filter(wrong).values_list("server").annotate(Count("id")).order_by("server"):
        yield f"{server} has minutes that no readings can have made: {count}"


def _partly_missing(figures: tuple[str, ...]) -> Q:
    missing = [Q(**{f"{figure}__isnull": True}) for figure in figures]
    some, every = missing[0], missing[0]
    for one in missing[1:]:
        some, every = some | one, every & one
    return some & ~every


def _minutes_for_ever(now: datetime) -> Iterator[str]:
    oldest = MinuteRollup.objects.filter(minute__lt=now - timedelta(days=KEPT_DAYS) - PATIENCE).order_by("minute").first()
    if oldest:
        yield f"minutes since {oldest.minute:%Y-%m-%d} are still kept, longer than {KEPT_DAYS} days"
