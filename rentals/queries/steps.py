"""How far the Servers of a Booking are, in the words of the customer: the way in and the way out, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from rentals.domain import lifecycle
from rentals.models import Booking, Deployment, DeploymentStep

WAY_IN = ("claim", "image", "boot", "network", "ssh_check")
WAY_OUT = ("fence", "take_back", "wipe", "evidence", "validate")
LEAVING = frozenset({"undeploying", "wiping", "validating", "done"})
WORDS: dict[str, str | Promise] = {
    "claim": _("Server set aside"),
    "image": _("Operating system written"),
    "boot": _("Started"),
    "network": _("Your network attached"),
    "ssh_check": _("SSH answers"),
    "fence": _("Switched off"),
    "take_back": _("Your network detached"),
    "wipe": _("Every disk erased"),
    "evidence": _("Evidence of the wipe kept"),
    "validate": _("Server checked for the next tenant"),
}


@dataclass(frozen=True, slots=True)
class StepShown:
    """`state`: done, running, next, failed."""

    text: str
    state: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One Server of a Booking on its way in or out."""

    label: str
    state: str
    leaves: bool
    waits: bool  # its Server is not free yet though it is due
    is_spare: bool
    steps: tuple[StepShown, ...]

    @property
    def done(self) -> int:
        return sum(step.state == "done" for step in self.steps)

    @property
    def is_over(self) -> bool:
        return self.state in lifecycle.DEPLOYMENT.final


def ways_of(booking: Booking) -> list[Way]:
    """Each rented thing of the Booking once: of those that were replaced the newest. Two queries; none for a hold."""
    if booking.state == Booking.State.HELD:
        return []
    rows = Deployment.objects.filter(assignment__booking=booking).select_related("assignment__unit").prefetch_related("steps")
    newest: dict[object, list[Deployment]] = {}
    for row in rows.order_by("assignment__line", "assignment__unit__label", "pk"):
        newest.setdefault(row.assignment.rental, []).append(row)
    return [_way(max(tries, key=lambda row: row.pk), len(tries) > 1) for tries in newest.values()]


def _way(row: Deployment, is_spare: bool) -> Way:
    happened = {step.name: step for step in row.steps.all()}  # in order: of a repeated step the last
    leaves = row.state in LEAVING or any(name in happened for name in WAY_OUT)
    names: tuple[str, ...] = WAY_OUT if leaves else WAY_IN
    if leaves and row.state == "done":
        names = tuple(name for name in names if name in happened)
    return Way(
        label=row.assignment.unit.label,
        state=row.state,
        leaves=leaves,
        waits=row.state == "planned" and bool(row.waiting_for),
        is_spare=is_spare,
        steps=tuple(_step(name, happened.get(name)) for name in names),
    )


def _step(name: str, step: DeploymentStep | None) -> StepShown:
    if step is None:
        return StepShown(str(WORDS[name]), "next")
    if step.finished_at is None:
        return StepShown(str(WORDS[name]), "running", step.started_at)
    return StepShown(str(WORDS[name]), "failed" if step.failed else "done", step.finished_at)
