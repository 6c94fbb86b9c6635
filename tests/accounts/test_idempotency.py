"""The same keyed request twice: one act, two equal answers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from portal.accounts import tasks
from portal.accounts.models import IdempotencyKey
from portal.accounts.services import idempotency
from portal.kernel.errors import Conflict


class Till:
    """Something that must not happen twice."""

    def __init__(self) -> None:
        self.rung = 0

    def ring(self) -> idempotency.Answer:
        self.rung += 1
        return idempotency.Answer(body={"rung": self.rung}, status=201)


def test_a_repeat_gets_the_first_answer_and_nothing_happens_again(db, now):
    till = Till()

    first = idempotency.once(scope="ada", key="k1", request={"a": 1, "b": 2}, act=till.ring, now=now)
    again = idempotency.once(scope="ada", key="k1", request={"b": 2, "a": 1}, act=till.ring, now=now)

    assert till.rung == 1
    assert (first.body, first.status, first.repeated) == ({"rung": 1}, 201, False)
    assert (again.body, again.status, again.repeated) == ({"rung": 1}, 201, True)


def test_another_request_under_the_same_key_is_refused(db, now):
    till = Till()
    idempotency.once(scope="ada", key="k1", request={"hours": 1}, act=till.ring, now=now)

    with pytest.raises(idempotency.KeyReused) as refusal:
        idempotency.once(scope="ada", key="k1", request={"hours": 2}, act=till.ring, now=now)

    assert (till.rung, refusal.value.status) == (1, 422)


def test_keys_of_two_people_do_not_meet(db, now):
    till = Till()

    idempotency.once(scope="ada", key="k1", request={}, act=till.ring, now=now)
    idempotency.once(scope="ben", key="k1", request={}, act=till.ring, now=now)

    assert till.rung == 2


def test_a_refused_act_keeps_nothing_so_that_a_repeat_acts(db, now):
    till = Till()

    def refuse() -> idempotency.Answer:
        raise Conflict("not today")

    with pytest.raises(Conflict):
        idempotency.once(scope="ada", key="k1", request={}, act=refuse, now=now)
    answer = idempotency.once(scope="ada", key="k1", request={}, act=till.ring, now=now)

    assert (till.rung, answer.repeated) == (1, False)


@pytest.mark.parametrize("key", ["", "x" * 121])
def test_a_key_without_sense_is_refused(db, now, key):
    with pytest.raises(idempotency.UnusableKey):
        idempotency.once(scope="ada", key=key, request={}, act=Till().ring, now=now)


def test_old_keys_are_forgotten(db, now):
    idempotency.once(scope="ada", key="k1", request={}, act=Till().ring, now=now)

    assert idempotency.forget(before=now) == 0
    assert idempotency.forget(before=now + timedelta(seconds=1)) == 1


def test_the_task_keeps_the_keys_of_a_week(db):
    for key, age in (("old", timedelta(days=8)), ("new", timedelta(days=6))):
        idempotency.once(scope="ada", key=key, request={}, act=Till().ring, now=timezone.now() - age)

    tasks.forget_keys()

    assert [row.key for row in IdempotencyKey.objects.all()] == ["new"]
