"""Speaking upward: the row is the truth."""

import pytest

from billing import queries, signals
from billing.models import Announcement
from billing.services import announcements


@pytest.fixture
def announced(db, now):
    announcements.announce(kind="agreement_opened", subject="A-1001", now=now, agreement="A-1001")
    announcements.announce(kind="agreement_opened", subject="A-1002", now=now, agreement="A-1002")
    announcements.announce(kind="document_issued", subject="INV-1", now=now)


def test_open_announcements_come_in_order_and_by_kind(announced):
    assert [each.subject for each in queries.open_announcements(["agreement_opened"])] == ["A-1001", "A-1002"]


def test_each_is_handled_once(announced, now):
    heard = []

    assert announcements.handle(kind="agreement_opened", act=lambda each: heard.append(each.facts["agreement"]), now=now) == 2
    assert announcements.handle(kind="agreement_opened", act=lambda each: heard.append(each.facts["agreement"]), now=now) == 0
    assert heard == ["A-1001", "A-1002"]


def test_one_that_cannot_be_handled_now_stays_open_and_does_not_stop_the_others(announced, now):
    def act(each: queries.Announced) -> None:
        Announcement.objects.create(kind="undone", subject=each.subject, announced_at=now)
        if each.subject == "A-1001":
            raise RuntimeError("not now")

    assert announcements.handle(kind="agreement_opened", act=act, now=now) == 1
    assert [each.subject for each in queries.open_announcements(["agreement_opened", "undone"])] == ["A-1001", "A-1002"]


def test_one_that_was_handled_meanwhile_is_left_alone(announced, now):
    first, second = queries.open_announcements(["agreement_opened"])

    def act(each: queries.Announced) -> None:
        Announcement.objects.filter(pk=second.id).update(handled_at=now)

    assert announcements.handle(kind="agreement_opened", act=act, now=now) == 1


def test_the_ring_comes_after_the_commit_and_a_failing_receiver_costs_nothing(db, now, django_capture_on_commit_callbacks):
    rung = []

    def receive(kind: str, **_facts: object) -> None:
        rung.append(kind)
        raise RuntimeError("receiver")

    signals.announced.connect(receive)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            announcements.announce(kind="agreement_opened", subject="A-1001", now=now)
            assert rung == []
        assert rung == ["agreement_opened"]
    finally:
        signals.announced.disconnect(receive)
