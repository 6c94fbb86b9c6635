"""Comparing what the engines have with what we have, each minute. The portal's rows decide who has what; the engines decide what a machine does."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction

from portal.accounts.services import audit
from portal.toolkit.tasks import after_commit
from rentals.models import Deployment, Server
from rentals.provisioners import base
from rentals.services import engines, fleet, operations, progress

log = logging.getLogger(__name__)

EVERY = timedelta(minutes=1)
HAVING = ("preparing", "prepared", "handing_over", "ready", "undeploying")


def ring_due(*, now: datetime) -> None:
    """Ring once a minute. The mark is in the cache: when it is lost the engines are compared once more than needed."""
    if cache.add("rentals.reconcile", now.isoformat(), EVERY.total_seconds()):
        after_commit("rentals.reconcile")


def reconcile(*, now: datetime) -> list[str]:
    """Find Claims that no Deployment of ours stands behind. Their Servers leave every offer (a busy one when its tenant has left) and the operators are
    told; nothing is deleted by itself. What was prepared and an engine has lost is prepared again under the same name; no Booking is touched. Returns the
    names of the orphans."""
    orphans: list[str] = []
    for engine in Server.objects.order_by("engine").values_list("engine", flat=True).distinct():
        held = engines.claims(engine=engine)
        if held is None:
            log.warning("engine %s cannot be heard: not reconciled", engine)
            continue
        orphans += [claim.name for claim in _orphans(held) if _put_aside(claim, now)]
        _make_again(engine, {claim.name for claim in held}, now)
    return orphans


def _orphans(held: list[base.Held]) -> list[base.Held]:
    ours = {
        (f"{base.CLAIM_PREFIX}{assignment}", serial)
        for assignment, serial in Deployment.objects.filter(state__in=HAVING).values_list("assignment_id", "assignment__server__serial")
    }
    return [claim for claim in held if (claim.name, claim.serial) not in ours]


@transaction.atomic
def _put_aside(claim: base.Held, now: datetime) -> bool:
    server = Server.objects.select_for_update().filter(serial=claim.serial).first()
    if server is None or server.operations.filter(state__in=operations.OPEN).exists() or server.state in ("quarantined", "wiping", "maintenance"):
        return False
    reason = f"{claim.name} stands on it and is not ours"
    if server.state in ("available", "reserved", "deploying", "validating"):
        fleet.put_aside(server=server, to="quarantined", reason=reason, now=now, last_tenant_ended_at=now)  # whoever it is: wiped before the next
    else:
        fleet.alert(key=f"orphan-{claim.name}", kind="operator_server", subject=server.serial, path=fleet.path_of(server=server), now=now, reason=reason)
        audit.record(verb="server.orphan_found", subject=server.serial, now=now, claim=claim.name)
    return True


def _make_again(engine: str, names: set[str], now: datetime) -> None:
    waiting = Deployment.objects.filter(state="prepared", assignment__server__engine=engine).exclude(operations__state__in=operations.OPEN)
    for pk, assignment in waiting.order_by("pk").values_list("pk", "assignment_id"):
        if f"{base.CLAIM_PREFIX}{assignment}" not in names:
            _prepare_again(pk, now)


@transaction.atomic
def _prepare_again(deployment_id: int, now: datetime) -> None:
    deployment = progress.locked(deployment_id=deployment_id)
    if deployment.state == "prepared" and not deployment.operations.filter(state__in=operations.OPEN).exists():
        progress.advance_to(deployment=deployment, to="preparing", now=now)
        operations.open_one(server=deployment.assignment.server, verb="prepare", now=now, deployment=deployment)
