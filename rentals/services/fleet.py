"""Moving a Server from state to state, and telling the operators when one of them needs a person."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from portal.accounts import queries as accounts
from portal.accounts.domain.roles import OPERATOR
from portal.accounts.services import audit, notifications
from portal.kernel.errors import LostRace
from portal.live import push
from rentals.domain import lifecycle
from rentals.models import Maintenance, Server
from rentals.services import operations

# How long a Server may stay in a state; what happens then is services.servers.expire. The others wait for a person or for their Operation's deadline.
TIME_LIMITS = {
    "verifying": timedelta(hours=1),
    "reserved": timedelta(hours=2),
    "deploying": timedelta(hours=2),
    "undeploying": timedelta(hours=1),
    "wiping": timedelta(hours=7),
    "validating": timedelta(hours=2),
    "unknown": timedelta(minutes=30),
    "wipe_failed": timedelta(days=1),
    "quarantined": timedelta(days=7),
}
OUT_OF_SERVICE = "out of service"
COOLING = "cooling down after a failed deployment"


def move(*, server: Server, to: str, now: datetime, reason: str = "", **fields: Any) -> None:
    """Move the Server by compare-and-set; `fields` go along in the same statement. Raises IllegalMove, LostRace."""
    lifecycle.SERVER.check(server.state, to)
    limit = TIME_LIMITS.get(to)
    changed = {"state": to, "state_since": now, "state_deadline_at": now + limit if limit else None, "state_reason": reason[:300], **fields}
    if not Server.objects.filter(pk=server.pk, state=server.state).update(**changed):
        raise LostRace()
    for name, value in changed.items():
        setattr(server, name, value)
    push.hint("fleet", "state")


def put_aside(*, server: Server, to: str, reason: str, now: datetime, **fields: Any) -> None:
    """Take the Server out of every offer until a person has looked at it (wipe_failed, quarantined), and say so to the operators. A Server that is
    there already keeps its first reason. `fields` go along. Raises IllegalMove, LostRace, ServerBusy."""
    if server.state == to:
        return
    move(server=server, to=to, now=now, reason=reason, **fields)
    close_for(server=server, reason=f"{OUT_OF_SERVICE}: {reason}", now=now)
    operations.open_one(server=server, verb="quarantine", now=now)
    audit.record(verb=f"server.{to}", subject=server.serial, now=now, reason=reason)
    alert(key=f"{server.serial}-{to}-{now.isoformat()}", kind="operator_server", subject=server.serial, path=path_of(server=server), now=now, reason=reason)


def close_for(*, server: Server, reason: str, now: datetime, until: datetime | None = None, by: Any = None) -> None:
    """Let nothing be placed on the Server from now until `until` (None: until it is opened again)."""
    Maintenance.objects.create(server=server, during=(now, until), reason=reason[:300], planned_by=by)


def open_again(*, server: Server, now: datetime) -> None:
    """End every closure of the Server that is on now."""
    Maintenance.objects.filter(server=server, during__contains=now, cancelled_at=None).update(cancelled_at=now)


def alert(*, key: str, kind: str, subject: str, path: str, now: datetime, **facts: Any) -> None:
    """Tell every operator once."""
    notifications.notify(users=accounts.staff_of(OPERATOR), kind=kind, key=key, subject=subject, path=path, now=now, **facts)


def path_of(*, server: Server) -> str:
    """The operator's page of the Server."""
    return f"/operate/servers/{server.serial}/"
