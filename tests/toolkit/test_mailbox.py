"""Mails of a demo installation."""

import pytest
from django.core import mail

from portal.kernel.errors import NotFound
from portal.toolkit import mailbox


@pytest.fixture
def folder(tmp_path, settings):
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    return settings.EMAIL_FILE_PATH


def deliver(subject: str, body: str = "Hello") -> None:
    mail.EmailMessage(subject, body, "portal@example.com", ["ada@example.com"], connection=mailbox.Backend()).send()


def test_an_empty_box_is_empty(folder):
    assert mailbox.listing().items == []


def test_a_mail_is_read_as_it_was_written(folder):
    deliver("确认您的邮箱", "打开 http://127.0.0.1:8000/account/confirm-email/abc/\n")

    shown = mailbox.listing().items[0]

    assert (shown.subject, shown.to) == ("确认您的邮箱", "ada@example.com")
    assert "http://127.0.0.1:8000/account/confirm-email/abc/" in mailbox.one(name=shown.name).body


def test_the_newest_stands_first_and_pages_follow_one_another(folder):
    for number in range(mailbox.PAGE + 3):
        deliver(f"mail {number}")

    first = mailbox.listing()
    second = mailbox.listing(after=first.next)

    assert (len(first.items), len(second.items), second.next) == (mailbox.PAGE, 3, "")
    assert not {each.name for each in first.items} & {each.name for each in second.items}


@pytest.mark.parametrize("name", ["../settings.py", "nothing.eml", "", "/etc/passwd"])
def test_only_mails_can_be_read(folder, name):
    deliver("one")

    with pytest.raises(NotFound):
        mailbox.one(name=name)
