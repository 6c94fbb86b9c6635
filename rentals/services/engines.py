"""Talking to engines. Nothing here runs inside a transaction, and nothing here writes."""

from __future__ import annotations

import uuid

from rentals.domain.observations import Observation, WipeReport
from rentals.provisioners import base, registry
from rentals.services.operations import Leased


def names() -> list[str]:
    """The engines that a new Server can stand under."""
    return registry.names()


def look(*, leased: Leased) -> tuple[Observation | None, WipeReport | None]:
    """What is so at present; None where the engine could not be heard. For a wipe also what it has erased."""
    engine = registry.engine(leased.engine)
    slots = None if leased.claim.whole else leased.claim.slots
    seen = engine.observe(leased.machine, leased.claim.name, slots)
    if isinstance(seen, base.Unknown):
        return None, None
    if leased.row.verb != "wipe":
        return seen, None
    report = engine.wipe_evidence(leased.machine, leased.own_name)
    return (None, None) if isinstance(report, base.Unknown) else (seen, report)


def ask(*, leased: Leased, verb: str, seen: Observation | None) -> base.Answer:
    """The one call of this step."""
    engine = registry.engine(leased.engine)
    op, machine, name = leased.op, leased.machine, leased.claim.name
    if verb == "take_back" and not name and seen is not None and seen.others:
        name = seen.others[0]
        op = base.Op(uuid.uuid5(op.id, name), op.attempt)
    if verb == "cancel":  # a request of its own: the engine knows the preparation by the other key
        op = base.Op(uuid.uuid5(op.id, "cancel"), op.attempt)
    calls = {
        "prepare": lambda: engine.prepare(op, machine, leased.claim),
        "hand_over": lambda: engine.hand_over(op, machine, name),
        "cancel": lambda: engine.cancel(op, machine, name),
        "fence": lambda: engine.power(op, machine, "off", leased.own_name),
        "take_back": lambda: engine.take_back(op, machine, name),
        "wipe": lambda: engine.wipe(op, machine, leased.own_name),
        "validate": lambda: engine.validate(op, machine),
        "quarantine": lambda: engine.quarantine(op, machine, leased.row.server.state_reason),
        "return_to_service": lambda: engine.return_to_service(op, machine),
    }
    return calls[verb]()


def observe(*, engine: str, machine: base.Machine, name: str) -> Observation | None:
    """One look at a Claim; None when the engine could not be heard."""
    seen = registry.engine(engine).observe(machine, name)
    return None if isinstance(seen, base.Unknown) else seen


def claims(*, engine: str) -> list[base.Held] | None:
    """Every Claim with our prefix that the engine has; None when it could not be heard to the end."""
    found: list[base.Held] = []
    cursor = ""
    while True:
        page = registry.engine(engine).inventory(cursor)
        if isinstance(page, base.Unknown):
            return None
        found += page.claims
        cursor = page.next
        if not cursor:
            return found
