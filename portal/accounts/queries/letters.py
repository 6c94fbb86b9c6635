"""The words of a mail, and of the notification that it carries."""

from __future__ import annotations

import zoneinfo
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min, Q
from django.template import Context, Engine
from django.utils import timezone, translation

from portal.accounts.models import Letter, Notification, User


@dataclass(frozen=True)
class Text:
    subject: str
    body: str


@dataclass(frozen=True)
class Outbox:
    waiting: int
    given_up: int
    oldest_seconds: int


def outbox(now: datetime) -> Outbox:
    """How the outbox stands: a growing age of the oldest letter means that mail does not go out."""
    found = Letter.objects.aggregate(
        waiting=Count("pk", filter=Q(next_attempt_at__isnull=False)),
        given_up=Count("pk", filter=Q(next_attempt_at__isnull=True, sent_at__isnull=True, created_at__gt=now - timedelta(days=1))),
        oldest=Min("created_at", filter=Q(next_attempt_at__isnull=False)),
    )
    return Outbox(found["waiting"], found["given_up"], int((now - found["oldest"]).total_seconds()) if found["oldest"] else 0)


def due(now: datetime, most: int) -> list[int]:
    """Ids of Letters whose time has come, the oldest first."""
    return list(Letter.objects.filter(next_attempt_at__lte=now).order_by("next_attempt_at", "pk").values_list("pk", flat=True)[:most])


def text_of(letter: Letter) -> Text:
    """Subject and body of a Letter in its reader's language and zone."""
    zone = zoneinfo.ZoneInfo(letter.user.time_zone if letter.user else "UTC")
    with translation.override(letter.user.language if letter.user else letter.language), timezone.override(zone):
        return _composed(letter, letter.user)


def headline(notification: Notification, user: User) -> str:
    """What the notifications page says of it: the subject line of its mail, in the present language."""
    return _composed(notification, user).subject


def _composed(row: Letter | Notification, person: User | None) -> Text:
    facts = {
        "person": person,
        "organisation": row.organisation,
        "subject": row.subject,
        "url": settings.BASE_URL + row.path,
        "facts": row.facts,
        "base_url": settings.BASE_URL,
    }
    rendered = Engine.get_default().get_template(f"mail/{row.kind}.txt").render(Context(facts, autoescape=False)).strip()
    subject, _newline, body = rendered.partition("\n")
    return Text(" ".join(subject.split()), body.strip() + "\n")
