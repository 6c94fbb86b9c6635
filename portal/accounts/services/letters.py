"""Mail. The row is written in the transaction of the act; sending follows, tried again with growing waits."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.core.mail import EmailMessage
from django.db.models import F

from portal.accounts.domain import backoff
from portal.accounts.models import Letter, Notification, Organisation, User
from portal.accounts.queries import letters
from portal.toolkit.tasks import after_commit

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=10)  # longer than any time-out of a mail server
MOST_AT_ONCE = 50


def write(
    *,
    address: str,
    kind: str,
    now: datetime,
    user: User | None = None,
    language: str = "en",
    organisation: Organisation | int | None = None,
    notification: Notification | None = None,
    subject: str = "",
    path: str = "",
    facts: dict | None = None,
) -> Letter:
    """Put a mail to `address` into the outbox and ring for it after the commit."""
    letter = Letter.objects.create(
        address=address,
        kind=kind,
        user=user,
        language=language,
        organisation_id=getattr(organisation, "pk", organisation),
        notification=notification,
        subject=subject,
        path=path,
        facts=facts or {},
        created_at=now,
        next_attempt_at=now,
    )
    after_commit("accounts.send_mail", letter=letter.pk)
    return letter


def send(*, letter_id: int, now: datetime) -> bool:
    """Send a due Letter; False when it is not due, sent, or in other hands. Whoever moves `next_attempt_at` on holds it for ten minutes, so two workers never
    send it both; one that dies between sending and noting it down is the only way to a second copy (which carries the same Message-ID)."""
    if not Letter.objects.filter(pk=letter_id, next_attempt_at__lte=now).update(attempts=F("attempts") + 1, next_attempt_at=now + LEASE):
        return False
    letter = Letter.objects.select_related("user", "organisation").get(pk=letter_id)
    try:
        _hand_over(letter)
    except Exception as error:  # a server that is away, a template that is wrong: the others must still go out
        log.exception("mail %s to %s was not sent", letter.kind, letter.pk)
        _put_off(letter, error, now)
        return False
    _close(letter, sent_at=now)
    return True


def sweep(*, now: datetime) -> int:
    """Send what is due, oldest first, at most fifty; returns how many were sent."""
    return sum(send(letter_id=letter_id, now=now) for letter_id in letters.due(now, MOST_AT_ONCE))


def _hand_over(letter: Letter) -> None:
    text = letters.text_of(letter)
    message_id = f"<letter-{letter.pk}-{letter.created_at:%Y%m%d%H%M%S%f}@portal>"
    EmailMessage(text.subject, text.body, to=[letter.address], headers={"Message-ID": message_id}).send()


def _put_off(letter: Letter, error: Exception, now: datetime) -> None:
    wait = backoff.wait_after(letter.attempts)
    fault = f"{type(error).__name__}: {error}"[:200]
    if wait is None:
        _close(letter, fault=fault)
    else:
        Letter.objects.filter(pk=letter.pk).update(next_attempt_at=now + wait, fault=fault)


def _close(letter: Letter, *, sent_at: datetime | None = None, fault: str = "") -> None:
    facts = letter.facts if letter.notification_id else {}
    Letter.objects.filter(pk=letter.pk).update(sent_at=sent_at, next_attempt_at=None, fault=fault, facts=facts)
