"""The outbox: written with the act, sent once, tried again."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from portal.accounts import tasks
from portal.accounts.domain import backoff
from portal.accounts.models import Letter, Notification
from portal.accounts.services import letters, notifications

WORDS = {"subject": "Ready & waiting", "body": "Your <server> is ready."}


@pytest.fixture
def told(cast, now):
    """told(users, key) -> how many were told."""

    def tell(users, key="B-1:ready"):
        return notifications.notify(
            users=users, kind="account", key=key, subject="B-1", path="/bookings/B-1/", now=now, organisation=cast.lab, **WORDS_AS_FACTS
        )

    return tell


WORDS_AS_FACTS = {"body": WORDS["body"], "headline": WORDS["subject"]}


def write(now, address="someone@example.com", **fields) -> Letter:
    return letters.write(address=address, kind="account", now=now, facts=WORDS, **fields)


def test_each_person_is_told_once_by_key(cast, told):
    assert told([cast.ada, cast.ben, cast.ada]) == 2
    assert told([cast.ada, cast.ben, cast.chen]) == 1

    assert Notification.objects.count() == 3
    assert Letter.objects.count() == 3


def test_a_letter_is_sent_once_however_often_it_is_rung_for(db, now):
    letter = write(now)

    sent = [letters.send(letter_id=letter.pk, now=now) for _ in range(3)]

    assert sent == [True, False, False]
    assert [message.subject for message in mail.outbox] == ["Ready & waiting"]
    assert mail.outbox[0].body == "Your <server> is ready.\n"


def test_a_lost_ring_is_made_good_by_the_sweep(db, now):
    for _ in range(3):
        write(now)

    assert letters.sweep(now=now) == 3
    assert letters.sweep(now=now) == 0


def test_the_tasks_send(db):
    first, second = write(timezone.now()), write(timezone.now())

    tasks.send_mail(letter=first.pk)
    tasks.sweep_mail()

    assert len(mail.outbox) == 2
    assert Letter.objects.get(pk=second.pk).sent_at is not None


def test_a_server_that_is_away_is_tried_again_later_and_later_and_then_given_up(db, now, monkeypatch):
    letter = write(now)
    monkeypatch.setattr(letters, "_hand_over", lambda letter: (_ for _ in ()).throw(ConnectionRefusedError("away")))

    moments = []
    at = now
    while at is not None:
        letters.send(letter_id=letter.pk, now=at)
        letter.refresh_from_db()
        moments.append(at - now)
        at = letter.next_attempt_at

    assert moments[:3] == [timedelta(0), timedelta(minutes=1), timedelta(minutes=6)]
    assert (letter.attempts, letter.sent_at, letter.fault) == (6, None, "ConnectionRefusedError: away")
    assert letter.facts == {}


def test_a_worker_that_died_while_sending_leaves_the_letter_to_another(db, now, monkeypatch):
    letter = write(now)

    def die(letter):
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(letters, "_hand_over", die)
        with pytest.raises(SystemExit):
            letters.send(letter_id=letter.pk, now=now)

    assert letters.sweep(now=now + timedelta(minutes=9)) == 0
    assert letters.sweep(now=now + timedelta(minutes=10)) == 1


def test_one_bad_letter_does_not_hold_up_the_others(db, now):
    bad = letters.write(address="a@example.com", kind="no_such_template", now=now)
    write(now)

    assert letters.sweep(now=now) == 1
    bad.refresh_from_db()
    assert bad.fault.startswith("TemplateDoesNotExist")


def test_secrets_do_not_stay_in_the_outbox(db, now):
    letter = write(now)

    letters.send(letter_id=letter.pk, now=now)

    letter.refresh_from_db()
    assert letter.facts == {}


def test_an_invitation_speaks_the_language_of_the_letter_and_names_the_zone(cast, now):
    facts = {"inviter": "Ada", "role_name": "成员", "expires_at": now.isoformat()}
    letter = letters.write(
        address="x@example.com", kind="invitation", now=now, language="zh-hans", organisation=cast.lab, path="/invitations/abc/", facts=facts
    )

    letters.send(letter_id=letter.pk, now=now)

    assert "Lovelace Labs" in mail.outbox[0].subject
    assert "/invitations/abc/" in mail.outbox[0].body
    assert "邀请" in mail.outbox[0].body
    assert "UTC" in mail.outbox[0].body


def test_waits_grow_and_end():
    waits = [backoff.wait_after(attempts) for attempts in range(1, 7)]

    assert waits[:-1] == sorted(waits[:-1])
    assert waits[-1] is None
    with pytest.raises(ValueError):
        backoff.wait_after(0)


def test_reading_marks_one_or_all(cast, told, now):
    told([cast.ada], "a")
    told([cast.ada], "b")
    one = Notification.objects.filter(user=cast.ada).first()

    assert notifications.mark_read(user=cast.ben, notification_id=one.pk, now=now) == 0
    assert notifications.mark_read(user=cast.ada, notification_id=one.pk, now=now) == 1
    assert notifications.mark_read(user=cast.ada, now=now) == 1
