"""The same key from several connections at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from portal.accounts.models import AuditEntry
from portal.accounts.services import audit, idempotency

pytestmark = pytest.mark.django_db(transaction=True)


def in_threads(work, count: int) -> list:
    """What `work` returned or raised in `count` threads that start together, each with its own connection."""
    gate = threading.Barrier(count)

    def run(_):
        gate.wait(timeout=10)
        try:
            return work()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_of_many_equal_requests_at_once_one_acts_and_all_get_its_answer(now):
    def act() -> idempotency.Answer:
        entry = audit.record(verb="test.rung", subject="T-1", now=now)
        return idempotency.Answer(body={"entry": entry.pk}, status=201)

    answers = in_threads(lambda: idempotency.once(scope="ada", key="k", request={}, act=act, now=now), 8)

    assert AuditEntry.objects.filter(verb="test.rung").count() == 1
    assert len({answer.body["entry"] for answer in answers}) == 1
    assert [answer.repeated for answer in answers].count(False) == 1


def test_without_the_key_every_request_acts(now):
    """The control: the same threads without the guard."""
    in_threads(lambda: audit.record(verb="test.rung", subject="T-1", now=now), 8)

    assert AuditEntry.objects.filter(verb="test.rung").count() == 8


def test_a_repeat_that_waits_too_long_is_told_that_the_first_is_still_at_it(now):
    inside, leave = threading.Event(), threading.Event()

    def slow() -> idempotency.Answer:
        inside.set()
        assert leave.wait(timeout=10)
        return idempotency.Answer(body={})

    def first() -> None:
        try:
            idempotency.once(scope="ada", key="k", request={}, act=slow, now=now)
        finally:
            connection.close()

    thread = threading.Thread(target=first)
    thread.start()
    try:
        assert inside.wait(timeout=10)
        with pytest.raises(idempotency.StillActing):
            idempotency.once(scope="ada", key="k", request={}, act=slow, now=now, wait_ms=50)
    finally:
        leave.set()
        thread.join(timeout=10)
