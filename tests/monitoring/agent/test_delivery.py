"""Batches on their way: kept in order, bounded, patient."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace

import pytest

from monitoring.agent import delivery
from monitoring.agent.delivery import Courier, Outcome, Portal, Waiting
from monitoring.domain.samples import Batch, Event, Sample
from tests.live.engines import free_port

BATCH = Batch("srv-a1", "simulated", "boot", 1, time.time(), (Sample("GPU-0", utilisation=5),))


def numbered(seq: int) -> Batch:
    return replace(BATCH, seq=seq)


def until(condition, within: float = 5) -> None:
    deadline = time.monotonic() + within
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def test_batches_go_over_one_kept_connection_with_the_token(portal_stub):
    portal = Portal(url=portal_stub.url, token="secret")

    answers = [portal.deliver(batch=numbered(seq)).outcome for seq in range(3)]

    assert answers == [Outcome.TAKEN] * 3
    assert [batch["seq"] for batch in portal_stub.batches] == [0, 1, 2]
    assert set(portal_stub.tokens) == {"Bearer secret"}
    assert portal_stub.connections == 1
    portal.close()


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (202, Outcome.TAKEN),
        (400, Outcome.REFUSED),
        (413, Outcome.REFUSED),
        (401, Outcome.SHUT_OUT),
        (403, Outcome.SHUT_OUT),
        (429, Outcome.LATER),
        (503, Outcome.LATER),
        (0, Outcome.LATER),
    ],
)
def test_what_an_answer_means(portal_stub, status, outcome):
    portal_stub.answers = [status]

    assert Portal(url=portal_stub.url, token="x").deliver(batch=BATCH).outcome is outcome


def test_a_portal_that_is_not_there_is_for_later():
    assert Portal(url=f"http://127.0.0.1:{free_port()}", token="x").deliver(batch=BATCH).outcome is Outcome.LATER


@pytest.mark.parametrize("url", ["ftp://x", "portal", ""])
def test_an_address_must_be_http(url):
    with pytest.raises(ValueError, match="not an http address"):
        Portal(url=url, token="x")


def test_a_full_queue_forgets_the_oldest():
    waiting = Waiting(most=3)

    for seq in range(5):
        waiting.put(numbered(seq))

    assert [waiting.take(within=0).seq for _ in range(3)] == [2, 3, 4]
    assert waiting.dropped == 2
    assert waiting.take(within=0) is None


def test_a_fault_outlives_the_batch_that_is_forgotten():
    waiting = Waiting(most=2)
    fault, later = Event("GPU-0", "xid-79", 1.0), Event("GPU-0", "xid-31", 2.0)
    waiting.put(replace(numbered(1), events=(fault,)))
    waiting.put(replace(numbered(2), events=(later,)))
    waiting.put(numbered(3))
    assert waiting.take(within=0) == replace(numbered(2), events=(fault, later))

    first = waiting.take(within=0)
    waiting.put(numbered(4))
    waiting.put(numbered(5))
    waiting.give_back(replace(first, events=(fault,)))
    assert waiting.take(within=0).events == (fault,)


def test_what_could_not_be_delivered_goes_back_to_the_front_unless_the_room_is_needed():
    waiting = Waiting(most=2)
    waiting.put(numbered(1))
    first = waiting.take(within=0)
    waiting.put(numbered(2))
    waiting.give_back(first)
    assert waiting.take(within=0).seq == 1

    waiting.put(numbered(3))
    waiting.give_back(first)
    assert (len(waiting), waiting.dropped) == (2, 1)
    assert waiting.take(within=0).seq == 2


def test_an_outage_is_survived_in_order_and_told_once(portal_stub, caplog, monkeypatch):
    monkeypatch.setattr(delivery, "FIRST_WAIT", 0.02)
    caplog.set_level(logging.INFO)
    portal_stub.answers = [503, 503, 0]
    waiting = Waiting()
    courier = Courier(portal=Portal(url=portal_stub.url, token="x"), waiting=waiting)
    for seq in range(5):
        waiting.put(numbered(seq))

    courier.start()
    until(lambda: courier.delivered == 5)
    courier.stop()
    courier.join(5)

    assert [batch["seq"] for batch in portal_stub.batches] == [0, 1, 2, 3, 4]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


def test_a_refused_batch_is_dropped_with_its_reason_and_the_next_one_goes(portal_stub, caplog):
    portal_stub.answers = [400]
    waiting = Waiting()
    courier = Courier(portal=Portal(url=portal_stub.url, token="x"), waiting=waiting)

    assert courier.carry(numbered(1)) == 0
    assert courier.carry(numbered(2)) == 0

    assert len(waiting) == 0 and "refused: 400" in caplog.text
    assert [batch["seq"] for batch in portal_stub.batches] == [2]


def test_a_revoked_agent_knocks_seldom(portal_stub):
    portal_stub.answers = [401]
    courier = Courier(portal=Portal(url=portal_stub.url, token="x"), waiting=Waiting())

    assert courier.carry(BATCH) >= delivery.SHUT_OUT_WAIT / 2


def test_waits_grow_and_end_growing(portal_stub):
    portal_stub.answers = [503] * 12
    courier = Courier(portal=Portal(url=portal_stub.url, token="x"), waiting=Waiting())

    waits = [courier.carry(BATCH) for _ in range(12)]

    assert waits[0] <= delivery.FIRST_WAIT
    assert delivery.LONGEST_WAIT / 2 <= waits[-1] <= delivery.LONGEST_WAIT


def test_whoever_waits_for_a_batch_is_woken_by_it():
    waiting = Waiting()
    threading.Timer(0.05, waiting.put, [BATCH]).start()

    assert waiting.take(within=5) is BATCH


def test_jitter_lies_between_half_and_all():
    assert delivery.jittered(10, lambda: 0.0) == 5
    assert delivery.jittered(10, lambda: 1.0) == 10
