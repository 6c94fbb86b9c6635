"""Who may send readings: one token for the agent of each Server. Only hashes are stored."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from monitoring.models import Agent
from monitoring.queries import agents
from portal.accounts.services import audit
from portal.kernel.errors import NotFound
from rentals.queries import live

PREFIX = "agt_"


class NoAgent(NotFound):
    """This server has no agent that may send."""


class NoServer(NotFound):
    """There is no such server in the fleet."""


def token_hash(*, token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def enrol(*, server: str, by: Any, now: datetime) -> str:
    """Give the agent of `server` a new token and return it, this once. A former token ends within seconds. Raises NoServer."""
    if not live.known(serials=[server]):
        raise NoServer(field="server")
    token = PREFIX + secrets.token_urlsafe(32)
    Agent.objects.update_or_create(server=server, defaults={"token_hash": token_hash(token=token), "created_at": now, "revoked_at": None})
    audit.record(verb="agent.enrolled", subject=server, by=by, now=now)
    return token


@transaction.atomic
def revoke(*, server: str, by: Any, now: datetime) -> None:
    """Shut the agent of `server` out, within seconds. Raises NoAgent."""
    if not Agent.objects.filter(server=server, revoked_at__isnull=True).update(revoked_at=now):
        raise NoAgent()
    audit.record(verb="agent.revoked", subject=server, by=by, now=now)


def fleet_file(*, path: Path, now: datetime) -> int:
    """Write the file from which monitoring.agent.fleet simulates an agent for every Server of the fleet; returns how many. Tokens that are in the file and
    still good stay; the file is readable for its owner only and appears all at once."""
    known = _tokens_in(path)
    good = agents.active()
    entries = []
    for server in live.fleet():
        token = known.get(server.serial, "")
        if good.get(token_hash(token=token)) != server.serial:
            token = enrol(server=server.serial, by=None, now=now)
        entries.append({"server": server.serial, "token": token, "simulated": True, "gpus": [_board(gpu, server.cuts) for gpu in server.gpus]})
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(entries, file, indent=1, allow_nan=False)
    fresh.replace(path)
    return len(entries)


def _board(gpu: live.LiveGpu, cuts: Iterable[live.Cut]) -> dict[str, Any]:
    own = [cut for cut in cuts if cut.position == gpu.position]
    slots = [
        {"gi": place, "profile": cut.profile, "start": cut.start, "size": cut.size, "memory_mib": cut.memory_mib} for place, cut in enumerate(own, start=1)
    ]
    return {"uuid": gpu.uuid, "model": gpu.model, "memory_mib": gpu.memory_mib, "tdp": gpu.tdp_w, "mig": slots or None}


def _tokens_in(path: Path) -> dict[str, str]:
    try:
        return {entry["server"]: entry["token"] for entry in json.loads(path.read_text())}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
