"""Many workers are rung for one Operation at the same instant. One of them steps; the engine is asked once. The control takes the lease's guard away."""

from __future__ import annotations

import threading

import pytest
from django.db import connections
from django.utils import timezone

from rentals.models import Operation
from rentals.provisioners import registry
from rentals.provisioners.simulated.client import Simulated
from rentals.services import deployments, operations
from rentals.services import engines as looking
from tests.rentals import engine as engines
from tests.rentals.desk import Desk

WORKERS = 8
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stack]


@pytest.fixture
def now():
    return timezone.now().replace(microsecond=0)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """The verbs that reach the real engine process, from whatever thread."""
    heard: list[str] = []
    with engines.process(tmp_path, speed=1) as process:
        client = Simulated(process.address)
        ask = client._ask

        def counted(verb, op, machine, **body):
            heard.append(verb)
            return ask(verb, op, machine, **body)

        monkeypatch.setattr(client, "_ask", counted)
        monkeypatch.setattr(registry, "engine", lambda name: client)
        yield heard


def due_operation(cast, racks, now):
    booking = Desk(cast, racks, now).book(start=1)
    at = booking.during.lower
    deployments.sweep(now=at)
    return Operation.objects.get().op_id, at


def all_at_once(op_id, at) -> list[BaseException]:
    gate, raised = threading.Barrier(WORKERS), []

    def work():
        gate.wait(10)
        try:
            deployments.advance(op_id=op_id, now=at)
        except BaseException as error:
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def test_of_many_workers_rung_for_one_operation_one_asks_the_engine(transactional_db, cast, racks, now, asked):
    op_id, at = due_operation(cast, racks, now)

    raised = all_at_once(op_id, at)

    assert raised == []
    assert asked == ["prepare"]
    assert Operation.objects.get().fencing == 1


def test_control_without_the_lease_each_of_them_asks(transactional_db, cast, racks, now, asked, monkeypatch):
    op_id, at = due_operation(cast, racks, now)
    lease = operations.lease
    turn = threading.Lock()

    def unguarded(*, op_id, owner, now):
        with turn:
            Operation.objects.filter(op_id=op_id).update(lease_until=None)
            return lease(op_id=op_id, owner=owner, now=now)

    look, together = looking.look, threading.Barrier(WORKERS)

    def look_together(*, leased):
        seen = look(leased=leased)
        together.wait(10)  # each has seen that nothing stands there yet
        return seen

    monkeypatch.setattr(operations, "lease", unguarded)
    monkeypatch.setattr(looking, "look", look_together)

    all_at_once(op_id, at)

    assert asked.count("prepare") == WORKERS
