"""The racks at work in a test: the real services, the real adapter, the simulated engine in this process, and one clock that only the test moves."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from rentals.models import Assignment, Booking, Deployment, Operation, Server
from rentals.provisioners import registry
from rentals.services import bookings, deployments, interruptions, operations, reconciliation
from tests.rentals.desk import Desk
from tests.rentals.engine import EngineHere

TICK = timedelta(seconds=15)


class Floor:
    def __init__(self, desk: Desk, folder: Path, monkeypatch) -> None:
        self.desk, self.now = desk, desk.now
        self.engine = EngineHere(folder, lambda: self.now.timestamp())
        self.asked: list[tuple[str, str]] = []
        monkeypatch.setattr(registry, "engine", lambda name: self.engine.client)
        self._count_asks(monkeypatch)

    def _count_asks(self, monkeypatch) -> None:
        original = self.engine.client._ask

        def counted(verb, op, machine, **body):
            self.asked.append((verb, machine.serial))
            return original(verb, op, machine, **body)

        monkeypatch.setattr(self.engine.client, "_ask", counted)

    def tick(self) -> None:
        """One turn of all that beat and workers do."""
        bookings.end_due(now=self.now)
        deployments.sweep(now=self.now)
        for op_id in Operation.objects.filter(state__in=operations.OPEN, next_poll_at__lte=self.now).values_list("op_id", flat=True):
            deployments.advance(op_id=op_id, now=self.now)

    def look(self) -> None:
        for pk in Deployment.objects.filter(state="ready").values_list("pk", flat=True):
            interruptions.look_at(deployment_id=pk, now=self.now)

    def reconcile(self) -> list[str]:
        return reconciliation.reconcile(now=self.now)

    def play(self, *, until: datetime | None = None, minutes: float = 0, tick: timedelta = TICK) -> None:
        end = until or self.now + timedelta(minutes=minutes)
        while self.now < end:
            self.tick()
            self.now = min(end, self.now + tick)
        self.tick()

    def play_to(self, booking: Booking, state: str, *, within: float = 60) -> None:
        """Play until each live or last Deployment of the Booking is in `state`."""
        end = self.now + timedelta(minutes=within)
        while not self._all(booking, state):
            assert self.now < end, [(row.state, row.failure, row.waiting_for) for row in self.deployments(booking)]
            self.tick()
            if not self._all(booking, state):
                self.now = self._next_due()

    def _all(self, booking: Booking, state: str) -> bool:
        """Of those that were replaced only the last counts."""
        last = {row.assignment.rental: row.state for row in self.deployments(booking)}
        return set(last.values()) == {state}

    def _next_due(self) -> datetime:
        """When something is to be done again: nobody waits for nothing in a test."""
        polls = Operation.objects.filter(state__in=operations.OPEN).values_list("next_poll_at", flat=True)
        rests = Deployment.objects.filter(state__in=deployments.RESTING).values_list("due_at", flat=True)
        return max(self.now + TICK, min([*polls] or [*rests] or [self.now]))

    def rest(self, *, within: float = 120) -> None:
        """Play until nothing is at work any more."""
        end = self.now + timedelta(minutes=within)
        while Operation.objects.filter(state__in=operations.OPEN).exists() or Deployment.objects.filter(spare_wanted=True).exists():
            assert self.now < end, list(Operation.objects.filter(state__in=operations.OPEN).values_list("verb", "last_error"))
            self.tick()
            self.now += TICK

    def deployments(self, booking: Booking) -> list[Deployment]:
        return list(Deployment.objects.filter(assignment__booking=booking).select_related("assignment__server").order_by("pk"))

    def deployment(self, booking: Booking) -> Deployment:
        return self.deployments(booking)[-1]

    def server(self, serial: str) -> Server:
        return Server.objects.get(serial=serial)

    def server_of(self, booking: Booking) -> Server:
        return self.deployment(booking).assignment.server

    def assignment(self, booking: Booking) -> Assignment:
        return self.deployment(booking).assignment

    def asked_for(self, verb: str) -> list[str]:
        return [serial for asked, serial in self.asked if asked == verb]
