"""Operations: opened before the engine hears of them, held by a lease with a fencing token, written only by the worker that still holds it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from portal.kernel.errors import Conflict
from portal.toolkit.tasks import after_commit
from rentals.domain import deployment_steps as steps
from rentals.models import Accelerator, Assignment, Deployment, Operation, Server
from rentals.provisioners import base

SLOTS_PER_GPU = 8
LEASE = timedelta(seconds=60)
OPEN = ("waiting", "running")
EVERY_SLOT = (0, 10_000)


class ServerBusy(Conflict):
    """Another operation is under way on this server."""

    code = "server_busy"


class LostLease(Conflict):
    """Another worker has taken this operation over."""

    code = "lost_lease"


@dataclass(frozen=True, slots=True)
class Leased:
    """One Operation in the hands of one worker, with all that the engine has to be told."""

    row: Operation
    fencing: int
    engine: str
    machine: base.Machine
    claim: base.Claim
    task: steps.Task

    @property
    def op(self) -> base.Op:
        return base.Op(self.row.op_id, self.row.attempt)

    @property
    def own_name(self) -> str:
        """The name of the Claim where it has a system of its own, "" where it has the whole Machine."""
        return "" if self.claim.whole else self.claim.name


def open_one(*, server: Server, verb: str, now: datetime, deployment: Deployment | None = None) -> Operation:
    """Write down what is to be asked of the engine; rings after the commit. Without a Deployment it is about the Server as a whole. Raises ServerBusy."""
    claim = claim_of(assignment=deployment.assignment) if deployment is not None else None
    request: dict[str, Any] = {"name": "", "slots": list(EVERY_SLOT), "whole": True}
    if claim is not None:
        request = {"name": claim.name, "slots": list(claim.slots), "whole": claim.whole, "gpus": list(claim.gpus), "image": claim.image,
                   "login": claim.login, "ssh_keys": list(claim.ssh_keys)}  # fmt: skip
    try:
        with transaction.atomic():
            operation = Operation.objects.create(
                deployment=deployment,
                server=server,
                slots=(0, 10_000) if request["whole"] else tuple(request["slots"]),
                verb=verb,
                request=request,
                request_hash=hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest(),
                created_at=now,
                deadline_at=now + steps.TIME_LIMITS[verb],
                next_poll_at=now,
            )
    except IntegrityError as error:
        raise ServerBusy() from error
    after_commit("rentals.advance", op_id=str(operation.op_id))
    return operation


def lease(*, op_id: UUID | str, owner: str, now: datetime) -> Leased | None:
    """Take the Operation for a minute, with a new fencing token; None when it is not due, finished or in other hands."""
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    due = Operation.objects.filter(free, op_id=op_id, state__in=OPEN, next_poll_at__lte=now)
    if not due.update(lease_owner=owner, lease_until=now + LEASE, fencing=F("fencing") + 1, state=Operation.State.RUNNING):
        return None
    row = Operation.objects.select_related("server__model", "deployment__assignment__booking").get(op_id=op_id)
    machine = machine_of(server=row.server)
    claim = base.Claim(
        name=row.request["name"], slots=tuple(row.request["slots"]), whole=row.request["whole"], gpus=tuple(row.request.get("gpus", [])),
        image=row.request.get("image", ""), login=row.request.get("login", ""), ssh_keys=tuple(row.request.get("ssh_keys", [])),
    )  # fmt: skip
    return Leased(row, row.fencing, row.server.engine, machine, claim, _task(row, machine, claim))


def _task(row: Operation, machine: base.Machine, claim: base.Claim) -> steps.Task:
    return steps.Task(
        verb=row.verb,
        key=base.Op(row.op_id, row.attempt).key,
        attempt=row.attempt,
        created_at=row.created_at,
        deadline_at=row.deadline_at,
        asked_at=row.asked_at,
        heard=row.heard,
        cancel_wanted=row.cancel_wanted,
        whole=claim.whole,
        claimed=bool(claim.name),
        gpus=frozenset(machine.gpus),
        disks=machine.disks if claim.whole else 1,
    )


def held(*, leased: Leased) -> Operation:
    """The row, locked, while this worker still holds it. Raises LostLease; its observations are then worth nothing."""
    row = Operation.objects.select_for_update().filter(op_id=leased.row.op_id, fencing=leased.fencing, state__in=OPEN).first()
    if row is None:
        raise LostLease()
    return row


def close(*, operation: Operation, state: str, now: datetime, error: str = "") -> None:
    """End the Operation and give its lease back."""
    operation.state, operation.finished_at, operation.last_error = state, now, error[:500] or operation.last_error
    operation.lease_until = None
    operation.save()


def ring_due(*, now: datetime, limit: int = 200) -> int:
    """Ring for every Operation that is due and in nobody's hands; one that was rung a moment ago is left alone. Returns how many."""
    with transaction.atomic():
        free = Q(lease_until=None) | Q(lease_until__lte=now)
        unrung = Q(rung_at=None) | Q(rung_at__lte=now - timedelta(seconds=10))
        due = Operation.objects.select_for_update(skip_locked=True).filter(free, unrung, state__in=OPEN, next_poll_at__lte=now).order_by("next_poll_at")
        ids = [operation.op_id for operation in due[:limit]]
        Operation.objects.filter(op_id__in=ids).update(rung_at=now)
        for op_id in ids:
            after_commit("rentals.advance", op_id=str(op_id))
    return len(ids)


def machine_of(*, server: Server) -> base.Machine:
    """The Server as its engine needs to know it."""
    gpus = Accelerator.objects.filter(server=server).order_by("position").values_list("uuid", flat=True)
    return base.Machine(serial=server.serial, bmc_address=server.bmc_address, gpus=tuple(gpus), disks=server.model.nvme_disks)


def claim_of(*, assignment: Assignment) -> base.Claim:
    """What is to stand on the Server for this Assignment, under a name that derives from its id."""
    booking = assignment.booking
    lo, hi = assignment.slots.lower, assignment.slots.upper
    positions = range(lo // SLOTS_PER_GPU, -(-hi // SLOTS_PER_GPU))
    gpus = Accelerator.objects.filter(server=assignment.server_id, position__in=positions).order_by("position").values_list("uuid", flat=True)
    return base.Claim(
        name=name_of(assignment=assignment),
        slots=(lo, hi),
        whole=is_whole(assignment=assignment),
        gpus=tuple(gpus),
        image=booking.image.slug,
        login=booking.image.login,
        ssh_keys=tuple(key["public_key"] for key in booking.ssh_keys),
    )


def name_of(*, assignment: Assignment) -> str:
    """The name of the Assignment inside every engine."""
    return f"{base.CLAIM_PREFIX}{assignment.pk}"


def is_whole(*, assignment: Assignment) -> bool:
    """Whether the Assignment has all slots of its Server."""
    accelerators = Accelerator.objects.filter(server=assignment.server_id).count()
    return assignment.slots.upper - assignment.slots.lower >= accelerators * SLOTS_PER_GPU
