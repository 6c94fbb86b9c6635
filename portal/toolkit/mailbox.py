"""Mails as files: how an installation without a mail server keeps what it would have sent, and how a demo shows it."""

from __future__ import annotations

import email
import email.policy
import os
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from portal.kernel.errors import NotFound
from portal.kernel.page import Page

PAGE = 50
SUFFIX = ".eml"


class Backend(BaseEmailBackend):
    """One file for each mail, named by its moment. (Django's own file backend names files by the second, so that two mails may share one.)"""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        _folder().mkdir(parents=True, exist_ok=True)
        for message in email_messages:
            path = _folder() / f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}{SUFFIX}"
            unfinished = path.with_suffix(".part")
            unfinished.write_bytes(message.message().as_bytes())
            os.replace(unfinished, path)  # a reader sees a whole mail or none
        return len(email_messages)


@dataclass(frozen=True)
class Mail:
    name: str
    at: datetime
    to: str
    subject: str
    body: str


def listing(*, after: str = "") -> Page[Mail]:
    """Mails from the newest on, those older than `after` (a file's name) when given."""
    names = sorted((path.name for path in _folder().glob(f"*{SUFFIX}")), reverse=True)
    older = [name for name in names if not after or name < after]
    shown = older[:PAGE]
    return Page([_read(name) for name in shown], shown[-1] if len(older) > PAGE else "", len(names))


def one(*, name: str) -> Mail:
    """The mail in the file `name`. Raises NotFound."""
    if name not in {path.name for path in _folder().glob(f"*{SUFFIX}")}:
        raise NotFound()
    return _read(name)


def _folder() -> Path:
    return Path(settings.EMAIL_FILE_PATH)


def _read(name: str) -> Mail:
    path = _folder() / name
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    body = message.get_body(("plain",))
    at = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
    return Mail(name, at, str(message["To"] or ""), str(message["Subject"] or ""), body.get_content() if body else "")
