"""Writing down what one step of an Operation has brought, and what follows from it for the Deployment, the Server and the Booking: one transaction."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from portal.accounts.services import audit
from rentals.domain import deployment_steps as steps
from rentals.domain.observations import Observation, WipeReport
from rentals.models import Assignment, Deployment, Operation
from rentals.provisioners import base
from rentals.services import bookings, fleet, hand_backs, operations, progress, servers


@transaction.atomic
def write(
    *,
    leased: operations.Leased,
    seen: Observation | None,
    report: WipeReport | None,
    decision: steps.Decision,
    answer: base.Answer | None,
    now: datetime,
) -> None:
    """Write the step and give the lease back. Raises LostLease when another worker holds the Operation by now: then nothing is written."""
    deployment = progress.locked(deployment_id=leased.row.deployment_id) if leased.row.deployment_id else None
    operation = operations.held(leased=leased)
    if seen is not None:
        operation.observed_state, operation.observed_at, operation.unheard = seen.engine_word or seen.phase, seen.observed_at, 0
    else:
        operation.unheard += 1
    if deployment is not None and seen is not None:
        progress.record_phases(deployment=deployment, verb=operation.verb, attempt=operation.attempt, seen=seen)
    if isinstance(answer, base.Rejected):
        decision = steps.Failed(answer.reason)
    if isinstance(decision, steps.Finished):
        operations.close(operation=operation, state="done", now=now)
        _finished(deployment, operation, seen, report, now)
    elif isinstance(decision, steps.Failed):
        operations.close(operation=operation, state="cancelled" if decision.outcome == "cancelled" else "failed", now=now, error=decision.reason)
        _failed(deployment, operation, report, decision, now)
    else:
        _go_on(leased, operation, decision, answer, report, now)
        _note_begun(deployment, operation, seen, now)


def _go_on(leased: operations.Leased, operation: Operation, decision: steps.Decision, answer: base.Answer | None, report, now: datetime) -> None:
    """Not over yet: remember what was asked and how it was answered, and when to look again."""
    fraction = (operation.op_id.int + operation.fencing) % 1000 / 1000
    wait = steps.pause(leased.task, operation.unheard, now, fraction)
    if isinstance(decision, steps.Retry):
        _keep_failed_wipe(operation, report, decision.reason, now)
        operation.attempt, operation.asked_at, operation.heard, operation.last_error = operation.attempt + 1, None, False, decision.reason[:500]
    elif isinstance(answer, base.Busy):
        wait = timedelta(seconds=min(30.0, max(1.0, answer.retry_after)))
    elif isinstance(answer, (base.Accepted, base.AlreadyDone)) and isinstance(decision, steps.Ask) and decision.verb == operation.verb:
        operation.asked_at, operation.heard, operation.external_ref = now, True, answer.external_ref[:120] or operation.external_ref
        wait = timedelta(seconds=1)
    elif isinstance(answer, base.Unknown):
        operation.asked_at, operation.heard, operation.last_error = now, False, answer.reason[:500]
    operation.next_poll_at, operation.rung_at, operation.lease_until = now + wait, None, None
    operation.save()


def _keep_failed_wipe(operation: Operation, report: WipeReport | None, flaw: str, now: datetime) -> None:
    if operation.verb == "wipe" and report is not None and report.finished and report.reference == base.Op(operation.op_id, operation.attempt).key:
        assignment = operation.deployment.assignment if operation.deployment else None
        hand_backs.keep_evidence(server=operation.server, assignment=assignment, report=report, flaw=flaw, now=now)


def _note_begun(deployment: Deployment | None, operation: Operation, seen: Observation | None, now: datetime) -> None:
    """The engine has begun to prepare: the Server is no longer only reserved."""
    if deployment is None or operation.verb != "prepare" or not (operation.heard or (seen is not None and seen.phase != "absent")):
        return
    server = progress.server_of(deployment=deployment)
    if server.state == "reserved":
        fleet.move(server=server, to="deploying", now=now)


def _finished(deployment: Deployment | None, operation: Operation, seen: Observation | None, report: WipeReport | None, now: datetime) -> None:
    if deployment is None:
        servers.step_finished(operation=operation, report=report, now=now)
    elif operation.verb == "prepare":
        _note_begun(deployment, operation, seen, now)
        start = deployment.assignment.during.lower or now
        progress.advance_to(deployment=deployment, to="prepared", now=now, due_at=min(start, deployment.ends_at))
        progress.after_commit_sweep()
    elif operation.verb == "hand_over":
        _ready(deployment, seen, now)
    else:
        hand_backs.finished(deployment=deployment, operation=operation, report=report, now=now)


def _ready(deployment: Deployment, seen: Observation | None, now: datetime) -> None:
    """Observed ready: the engine says so and SSH answers. From here on the tenant pays."""
    assignment = deployment.assignment
    access = seen.access if seen is not None else None
    facts = {"host": access.host, "port": access.port, "login": access.login, "simulated": access.simulated} if access else {}
    Assignment.objects.filter(pk=assignment.pk).update(access=facts)
    assignment.access = facts
    progress.advance_to(deployment=deployment, to="ready", now=now, due_at=deployment.end_wanted_at, looked_at=now)
    if operations.is_whole(assignment=assignment):
        fleet.move(server=progress.server_of(deployment=deployment), to="rented", now=now)
    bookings.observe_ready(assignment=assignment, at=now, now=now)
    audit.record(
        verb="deployment.ready", subject=assignment.booking.number, organisation=assignment.booking.organisation_id, now=now, server=assignment.server.serial,
        host=facts.get("host", ""),
    )  # fmt: skip


def _failed(deployment: Deployment | None, operation: Operation, report: WipeReport | None, failure: steps.Failed, now: datetime) -> None:
    _keep_failed_wipe(operation, report, failure.reason, now)
    if deployment is None:
        servers.step_failed(operation=operation, reason=failure.reason, now=now)
    elif operation.verb not in ("prepare", "hand_over"):
        hand_backs.failed(deployment=deployment, operation=operation, report=report, reason=failure.reason, now=now)
    elif failure.outcome == "cancelled":
        hand_backs.start(deployment=deployment, now=now)
    else:
        fleet.alert(
            key=f"op-{operation.op_id}", kind="operator_deployment", subject=deployment.assignment.booking.number,
            path=f"/operate/operations/{operation.op_id}/", now=now, reason=f"{operation.verb}: {failure.reason}",
        )  # fmt: skip
        hand_backs.start(deployment=deployment, now=now, failure=f"{operation.verb}: {failure.reason}", spare_wanted=True)
        progress.after_commit_sweep()
