"""Carrying Batches to the portal: one kept-alive connection, short time-outs, waits that grow, and a queue that forgets the oldest first.

A node whose network fails must neither fill its disk nor its memory, and must not flood the portal when it comes back.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import random
import ssl
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from urllib.parse import urlsplit

from monitoring.domain import samples, wire
from monitoring.domain.samples import Batch

log = logging.getLogger(__name__)

SECONDS = 3.0  # for each of connecting, sending, answering
MOST_WAITING = 300  # Batches: five minutes
FIRST_WAIT, LONGEST_WAIT, SHUT_OUT_WAIT = 0.5, 30.0, 15.0


class Outcome(Enum):
    TAKEN = "taken"
    REFUSED = "refused"  # this Batch will never be taken
    SHUT_OUT = "shut out"  # the token is not known (any more)
    LATER = "later"


@dataclass(frozen=True, slots=True)
class Answer:
    outcome: Outcome
    reason: str = ""


class Portal:
    """The ingest route of one portal, for one token."""

    def __init__(self, *, url: str, token: str) -> None:
        split = urlsplit(url)
        if split.scheme not in ("http", "https") or not split.hostname:
            raise ValueError(f"not an http address: {url}")
        self._secure, self._host, self._port = split.scheme == "https", split.hostname, split.port
        self._path = f"{split.path.rstrip('/')}/telemetry/v1/ingest"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None

    def deliver(self, *, batch: Batch) -> Answer:
        """Send one Batch and say what became of it. Never raises for the network."""
        body = json.dumps(wire.to_wire(batch), separators=(",", ":"), allow_nan=False).encode()
        try:
            connection = self._connection or self._connect()
            connection.request("POST", self._path, body, self._headers)
            response = connection.getresponse()
            status, text = response.status, response.read(4096).decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Answer(Outcome.LATER, f"{type(error).__name__}: {error}")
        if response.will_close:
            self.close()
        return _answer(status, text)

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure:
            self._connection = http.client.HTTPSConnection(self._host, self._port, timeout=SECONDS, context=ssl.create_default_context())
        else:
            self._connection = http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)
        return self._connection

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            with contextlib.suppress(OSError):
                connection.close()


def _answer(status: int, text: str) -> Answer:
    if status in (200, 202):
        return Answer(Outcome.TAKEN)
    if status in (401, 403):
        return Answer(Outcome.SHUT_OUT, text)
    if status == 429 or status >= 500:
        return Answer(Outcome.LATER, f"{status}: {text}")
    return Answer(Outcome.REFUSED, f"{status}: {text}")


class Waiting:
    """Batches on their way, oldest first. When it is full the oldest goes: what is new matters more."""

    def __init__(self, *, most: int = MOST_WAITING) -> None:
        self._batches: deque[Batch] = deque()
        self._most = most
        self._changed = threading.Condition()
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._batches)

    def put(self, batch: Batch) -> None:
        with self._changed:
            self._batches.append(batch)
            if len(self._batches) > self._most:
                self._drop(self._batches.popleft())
            self._changed.notify()

    def _drop(self, batch: Batch) -> None:
        """Readings may be forgotten, faults may not: they move to the next Batch."""
        self.dropped += 1
        if batch.events and self._batches:
            heir = self._batches[0]
            self._batches[0] = replace(heir, events=(*batch.events, *heir.events)[-samples.MOST_EVENTS :])

    def take(self, *, within: float) -> Batch | None:
        """The oldest, out of the queue; None when there is none for so many seconds."""
        with self._changed:
            if not self._batches:
                self._changed.wait(within)
            return self._batches.popleft() if self._batches else None

    def give_back(self, batch: Batch) -> None:
        """Put back what could not be delivered, unless newer ones need the room."""
        with self._changed:
            if len(self._batches) >= self._most:
                self._drop(batch)
            else:
                self._batches.appendleft(batch)


class Courier(threading.Thread):
    """Delivers what waits, in order, until it is told to stop."""

    def __init__(self, *, portal: Portal, waiting: Waiting, name: str = "courier") -> None:
        super().__init__(name=name, daemon=True)
        self._portal, self._waiting = portal, waiting
        self._ended = threading.Event()  # Thread has a _stop of its own
        self._failures = 0
        self.delivered = 0

    def run(self) -> None:
        while not self._ended.is_set():
            batch = self._waiting.take(within=0.5)
            if batch is not None and (pause := self.carry(batch)):
                self._ended.wait(pause)
        self._portal.close()

    def carry(self, batch: Batch) -> float:
        """Deliver one Batch; returns the seconds to wait before the next attempt."""
        answer = self._portal.deliver(batch=batch)
        if answer.outcome is Outcome.TAKEN:
            if self._failures:
                log.info("%s: the portal takes readings again", batch.server)
            self._failures = 0
            self.delivered += 1
            return 0
        if answer.outcome is Outcome.REFUSED:
            log.error("%s: a batch was refused: %s", batch.server, answer.reason)
            return 0
        self._waiting.give_back(batch)
        self._failures += 1
        if self._failures == 1:  # once, however long it lasts: an agent must not fill the disk with its troubles
            log.warning("%s: %s: %s", batch.server, answer.outcome.value, answer.reason)
        if answer.outcome is Outcome.SHUT_OUT:
            return jittered(SHUT_OUT_WAIT)
        return jittered(min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(self._failures - 1, 8)))

    def stop(self) -> None:
        self._ended.set()


def jittered(seconds: float, draw: Callable[[], float] = random.random) -> float:
    """Between half of `seconds` and all of it, so that a thousand agents do not return at once."""
    return seconds * (0.5 + draw() / 2)
