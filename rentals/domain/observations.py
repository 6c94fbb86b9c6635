"""What was seen at an engine. Adapters make these, decisions read them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of a Claim as the engine carried it out."""

    name: str
    started_at: datetime
    finished_at: datetime | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Access:
    """Where a tenant reaches his Machine. `simulated` is shown to him."""

    host: str
    port: int
    login: str
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class DiskWipe:
    serial: str
    method: str
    result: str  # passed | failed
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WipeReport:
    """What was erased by the wipe with the key `reference`. `expected` are the serials of all disks that the engine knows in this scope."""

    reference: str
    finished: bool
    disks: tuple[DiskWipe, ...] = ()
    expected: tuple[str, ...] = ()
    error: str = ""
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """The truth at present about one Machine and, on it, the Claim that was asked for.

    `phase`: absent, working, prepared, attaching, ready, detaching, detached, failed.
    `power` (of the Claim's own system when it is not whole): on, off, unknown. `network`: none, provisioning, tenant. `pool`: active, quarantined.
    `work`: what the Machine or the Claim is busy with: "", wiping, validating. `validated` is the key of the last validation that ended, `fault` what it
    or the wipe found. `others` are the names of other Claims that take the same slots.
    """

    observed_at: datetime
    present: bool = True
    engine_word: str = ""
    power: str = "unknown"
    network: str = "none"
    pool: str = "active"
    phase: str = "absent"
    phases: tuple[Phase, ...] = ()
    others: tuple[str, ...] = ()
    work: str = ""
    validated: str = ""
    fault: str = ""
    gpus: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()
    access: Access | None = None
    error: str = ""
