"""What every engine can be asked, and how it answers.

Calls are synchronous and short, never wait for an effect, and know no models. Every call is idempotent on its Op: a repeat finds its own work.
A reply that was lost is Unknown: observe before asking again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from rentals.domain.observations import Access, DiskWipe, Observation, Phase, WipeReport

CLAIM_PREFIX = "bk-"
__all__ = [
    "Accepted", "Access", "AlreadyDone", "Answer", "Busy", "Capabilities", "Claim", "DiskWipe", "Held", "InventoryPage", "Machine", "Observation", "Op",
    "Phase", "Provisioner", "Rejected", "Unknown", "WipeReport",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Op:
    """The name of one request. `id` was committed before the engine hears of it; `attempt` counts definite failures, so that a repeat after a lost
    reply has the same key and a new try after a failure a new one."""

    id: UUID
    attempt: int = 1

    @property
    def key(self) -> str:
        return f"{self.id}/{self.attempt}"


@dataclass(frozen=True, slots=True)
class Machine:
    """A Server as an engine needs to know it: what is bolted into it, by serial and UUID."""

    serial: str
    bmc_address: str = ""
    gpus: tuple[str, ...] = ()
    disks: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """What shall stand on a Machine under the name of one Assignment. `slots` is the half-open range of the Machine's slots; `whole` means all of them:
    the operating system of the Machine itself is written, and a wipe erases every disk of it."""

    name: str
    slots: tuple[int, int]
    whole: bool
    gpus: tuple[str, ...] = ()
    image: str = ""
    login: str = ""
    ssh_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """The engine took the request; its effect is to be observed."""

    external_ref: str = ""


@dataclass(frozen=True, slots=True)
class AlreadyDone:
    """The engine knows this Op already; nothing was done again."""

    external_ref: str = ""


@dataclass(frozen=True, slots=True)
class Busy:
    """Not now. Uses up no attempt, but has a limit in time."""

    retry_after: float = 2.0


@dataclass(frozen=True, slots=True)
class Rejected:
    """Final for this Op. `reason` is the engine's own words, for the operator only."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Time-out, dropped connection, 5xx or a body that cannot be read: it may have happened or not."""

    reason: str


Answer = Accepted | AlreadyDone | Busy | Rejected | Unknown


@dataclass(frozen=True, slots=True)
class Held:
    """One Claim as the inventory lists it."""

    name: str
    serial: str
    phase: str


@dataclass(frozen=True, slots=True)
class InventoryPage:
    claims: tuple[Held, ...]
    next: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this engine can do; the service asks before it offers."""

    name: str
    is_simulated: bool = False
    partitions: bool = False
    evidence: bool = True
    verbs: frozenset[str] = field(default_factory=frozenset)


class Provisioner(Protocol):
    """An engine. Reading verbs return Unknown when the engine could not be heard."""

    def capabilities(self) -> Capabilities | Unknown: ...

    def inventory(self, cursor: str = "") -> InventoryPage | Unknown:
        """Claims with our prefix, page by page."""

    def prepare(self, op: Op, machine: Machine, claim: Claim) -> Answer:
        """Claim the Machine under the Claim's name and start writing its image. No tenant network yet."""

    def hand_over(self, op: Op, machine: Machine, name: str) -> Answer:
        """Attach the tenant network of a prepared Claim and publish its access."""

    def observe(self, machine: Machine, name: str = "", slots: tuple[int, int] | None = None) -> Observation | Unknown:
        """What is so at present. `others` are the Claims beside `name` that take any of `slots` (None: any slot)."""

    def power(self, op: Op, machine: Machine, action: str, name: str = "") -> Answer:
        """on or off; done when observed, not when accepted. With `name`: only that Claim's own system on a shared Machine."""

    def take_back(self, op: Op, machine: Machine, name: str) -> Answer:
        """Detach the tenant network and give up the Claim. Busy while a step runs that cannot be stopped. A Claim that is not there is AlreadyDone,
        and its name can never be prepared afterwards."""

    def wipe(self, op: Op, machine: Machine, name: str = "") -> Answer:
        """Erase every disk of the Machine; with `name` what that Claim had on a shared one. Needs nothing but the Machine."""

    def wipe_evidence(self, machine: Machine, name: str = "") -> WipeReport | None | Unknown:
        """What the last wipe erased, or None when there was none."""

    def validate(self, op: Op, machine: Machine) -> Answer:
        """Compare what is bolted in with what should be, then measure its health."""

    def quarantine(self, op: Op, machine: Machine, reason: str) -> Answer:
        """Out of the engine's pool."""

    def return_to_service(self, op: Op, machine: Machine) -> Answer:
        """Back into the engine's pool."""

    def cancel(self, op: Op, machine: Machine, name: str) -> Answer:
        """Stop preparing this Claim: a wish, to be repeated while the answer is Busy."""
