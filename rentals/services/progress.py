"""Where a Deployment stands: its state, its steps as they happened, and the hint to the pages that show them."""

from __future__ import annotations

from datetime import datetime

from portal.kernel.errors import LostRace
from portal.live import push
from portal.toolkit.tasks import after_commit
from rentals.domain import lifecycle
from rentals.domain.observations import Observation, Phase
from rentals.models import Booking, Deployment, DeploymentStep, Server

PHASES_OF = {"prepare": ("claim", "image", "boot"), "hand_over": ("network", "ssh_check")}


def locked(*, deployment_id: int) -> Deployment:
    """The Deployment with its Booking and Server, locked in the order that everyone keeps: the Deployments of a Booking, then the Booking itself."""
    booking_id = Deployment.objects.values_list("assignment__booking_id", flat=True).get(pk=deployment_id)
    list(Deployment.objects.select_for_update().filter(assignment__booking=booking_id).order_by("pk"))
    booking = Booking.objects.select_for_update(of=("self",)).select_related("configuration", "organisation", "image").get(pk=booking_id)
    deployment = Deployment.objects.select_related("assignment__server__model", "assignment__unit").get(pk=deployment_id)
    deployment.assignment.booking = booking
    return deployment


def advance_to(*, deployment: Deployment, to: str, now: datetime, **fields: object) -> None:
    """Move the Deployment by compare-and-set; `fields` go along. Raises IllegalMove, LostRace."""
    lifecycle.DEPLOYMENT.check(deployment.state, to)
    changed = {"state": to, "state_since": now, **fields}
    if not Deployment.objects.filter(pk=deployment.pk, state=deployment.state).update(**changed):
        raise LostRace()
    for name, value in changed.items():
        setattr(deployment, name, value)
    hint(deployment=deployment)


def hint(*, deployment: Deployment) -> None:
    """Tell the pages that show this Deployment to look again."""
    push.hint(f"booking-{deployment.assignment.booking.number}", "steps")
    push.hint("fleet", "deployments")


def begin_step(*, deployment: Deployment, key: str, name: str, at: datetime) -> None:
    """Write down that the step `name` has begun; once for each `key`."""
    DeploymentStep.objects.get_or_create(deployment=deployment, key=key, defaults={"name": name, "started_at": at})


def end_step(*, deployment: Deployment, key: str, at: datetime, failed: bool = False, detail: str = "") -> None:
    """Write down how a begun step ended; the first end counts."""
    DeploymentStep.objects.filter(deployment=deployment, key=key, finished_at=None).update(finished_at=at, failed=failed, detail=detail[:300])


def record_phases(*, deployment: Deployment, verb: str, attempt: int, seen: Observation) -> None:
    """Copy the engine's own steps of `verb`; each begins and ends once."""
    phases = [phase for phase in seen.phases if phase.name in PHASES_OF.get(verb, ())]
    known = {step.key: step for step in DeploymentStep.objects.filter(deployment=deployment)}
    fresh = [phase for phase in phases if _is_news(known.get(f"{phase.name}:{attempt}"), phase)]
    for phase in fresh:
        key = f"{phase.name}:{attempt}"
        begin_step(deployment=deployment, key=key, name=phase.name, at=phase.started_at)
        if phase.finished_at is not None:
            end_step(deployment=deployment, key=key, at=phase.finished_at, failed=phase.failed)
    if fresh:
        hint(deployment=deployment)


def _is_news(step: DeploymentStep | None, phase: Phase) -> bool:
    return step is None or (step.finished_at is None and phase.finished_at is not None)


def server_of(*, deployment: Deployment) -> Server:
    """The Server as it is now."""
    return Server.objects.select_related("model").get(pk=deployment.assignment.server_id)


def after_commit_sweep() -> None:
    """Ring the sweeper once this is committed: something may have become due at this very moment."""
    after_commit("rentals.sweep_deployments")
