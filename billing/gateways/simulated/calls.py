"""One request at work: what it may read and write, and the events it causes, all in one transaction with its answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from billing.gateways.simulated import faults, shapes
from billing.gateways.simulated.store import Store, new_id


@dataclass
class Call:
    """`address` is the stand-in's own base address; `hooked` says whether an endpoint wants events."""

    store: Store
    address: str
    hooked: bool
    request_id: str = field(default_factory=lambda: new_id("req"))
    idempotency_key: str | None = None

    @property
    def now(self) -> int:
        return self.store.now()

    def need(self, kind: str, id: object, name: str = "") -> dict:
        """The object, or the vendor's 404."""
        found = self.store.get(kind, str(id))
        if found is None:
            raise faults.missing(name or kind, str(id))
        return found

    def emit(self, type: str, subject: dict) -> None:
        """Store an event about `subject` as it is now, and queue its delivery as the control interface wishes."""
        body = shapes.event(type, subject, {"id": self.request_id, "idempotency_key": self.idempotency_key}, int(self.hooked), self.now)
        self.store.add("event", body)
        if self.hooked:
            self._queue(body)

    def _queue(self, event: dict) -> None:
        take, moment = self.store.take_wish, self.now
        state = "dropped" if take("drop", event["type"]) else "held" if take("hold", event["type"]) else "waiting"
        late = take("deliver_late", event["type"])
        due = moment + (late["seconds"] if late else 0)
        forged = 1 if take("bad_signature", event["type"]) else 0
        copies = 2 if take("deliver_twice", event["type"]) else 1
        for _ in range(copies):
            self.store.db.execute(
                "INSERT INTO deliveries (event, state, due_at, first_due_at, forged) VALUES (?, ?, ?, ?, ?)", (event["id"], state, due, due, forged)
            )
