"""Coming in: sign-up, confirmation, log-in, second step, forgotten passwords, another address."""

import re

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.core.cache import cache
from django.utils import timezone

from portal.accounts.models import User
from portal.accounts.services import letters
from portal.toolkit import tasks
from tests import world

NEW = {"name": "Grace Hopper", "email": "Grace@Example.com", "password1": world.PASSWORD, "password2": world.PASSWORD}


def newest_link(subject_part: str = "") -> str:
    """The link in the newest mail, after everything in the outbox was sent."""
    letters.sweep(now=timezone.now())
    message = mail.outbox[-1]
    assert subject_part in message.subject
    return re.search(r"http://testserver(\S+)", message.body)[1]


def log_in(client, email: str, password: str = world.PASSWORD):
    return client.post("/account/login/", {"login": email, "password": password})


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def test_a_newcomer_signs_up_confirms_and_is_in(db, client):
    client.cookies["tz"] = "Europe/Berlin"
    client.cookies["django_language"] = "zh-hans"

    answer = client.post("/account/signup/", NEW)
    grace = User.objects.get(email="grace@example.com")
    assert answer["Location"] == "/account/confirm-email/"
    assert (grace.name, grace.time_zone, grace.language) == ("Grace Hopper", "Europe/Berlin", "zh-hans")
    assert client.get("/home/").status_code == 302

    link = newest_link("邮箱")
    assert client.get(link).status_code == 200
    client.post(link)

    assert client.get("/home/").status_code == 200


def test_an_unconfirmed_person_cannot_log_in(db, client):
    client.post("/account/signup/", NEW)
    client.cookies.clear()

    log_in(client, "grace@example.com")

    assert client.get("/home/").status_code == 302


def test_a_confirmation_link_works_once(db, client):
    client.post("/account/signup/", NEW)
    link = newest_link()
    client.post(link)
    client.cookies.clear()

    assert "/account/login/" in client.get(link).content.decode()


def test_signing_up_with_a_known_address_tells_nothing_on_the_page_but_a_mail(cast, client):
    answer = client.post("/account/signup/", {**NEW, "email": "ada@example.com"})

    assert answer["Location"] == "/account/confirm-email/"
    letters.sweep(now=timezone.now())
    assert mail.outbox[-1].subject == "You have an account already"


@pytest.mark.parametrize("password", ["short", "password123", "1234567890123", "grace@example.com"])
def test_a_weak_password_is_refused_at_its_field(db, client, password):
    answer = client.post("/account/signup/", {**NEW, "password1": password, "password2": password})

    assert answer.status_code == 200
    assert "field-error" in answer.content.decode()
    assert not User.objects.exists()


def test_a_password_is_chosen_anew_by_a_mailed_link_which_works_once(cast, client):
    client.post("/account/password/reset/", {"email": "ada@example.com"})
    link = newest_link("password")
    form = client.get(link, follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": "a new long phrase", "password2": "a new long phrase"})

    assert log_in(client, "ada@example.com", "a new long phrase")["Location"] == "/home/"
    assert "password/reset/" in client.get(link, follow=True).content.decode()


def test_asking_for_a_reset_says_the_same_for_an_address_that_nobody_has(cast, client):
    known = client.post("/account/password/reset/", {"email": "ada@example.com"})
    unknown = client.post("/account/password/reset/", {"email": "nobody@example.com"})

    assert known["Location"] == unknown["Location"]


def test_a_new_address_counts_once_it_is_confirmed(cast, client):
    log_in(client, "ada@example.com")
    confirm_that_it_is_me(client)

    client.post("/account/email/", {"email": "ada@new.example", "action_add": ""})
    cast.ada.refresh_from_db()
    assert cast.ada.email == "ada@example.com"
    client.post(newest_link())

    cast.ada.refresh_from_db()
    assert cast.ada.email == "ada@new.example"


def confirm_that_it_is_me(client) -> None:
    client.post("/account/reauthenticate/", {"password": world.PASSWORD})


def set_up_second_step(client) -> tuple[str, list[str]]:
    confirm_that_it_is_me(client)
    form = client.get("/account/2fa/totp/activate/").context["form"]
    client.post("/account/2fa/totp/activate/", {"code": code_of(form.secret)})
    codes = client.get("/account/2fa/recovery-codes/download/").content.decode().split()
    return form.secret, codes


def test_with_the_second_step_a_password_alone_opens_nothing(cast, client):
    log_in(client, "ada@example.com")
    secret, codes = set_up_second_step(client)
    client.post("/account/logout/")
    assert len(codes) == 10

    assert log_in(client, "ada@example.com")["Location"] == "/account/2fa/authenticate/"
    assert client.get("/home/").status_code == 302

    client.post("/account/2fa/authenticate/", {"code": codes[0]})
    assert client.get("/home/").status_code == 200


def test_a_recovery_code_works_once(cast, client):
    log_in(client, "ada@example.com")
    _, codes = set_up_second_step(client)
    for _ in range(2):
        client.post("/account/logout/")
        log_in(client, "ada@example.com")
        client.post("/account/2fa/authenticate/", {"code": codes[0]})

    assert client.get("/home/").status_code == 302


@pytest.mark.parametrize(("path", "fields"), [("/account/email/", {"email": "eve@example.com", "action_add": ""}), ("/account/2fa/totp/activate/", {})])
def test_one_who_finds_an_open_browser_cannot_change_how_one_logs_in(cast, client, path, fields):
    log_in(client, "ada@example.com")

    assert client.post(path, fields)["Location"].startswith("/account/reauthenticate/")


def test_changing_how_one_logs_in_is_told_by_mail(cast, client, monkeypatch, django_capture_on_commit_callbacks):
    monkeypatch.setattr(tasks, "ring", lambda task, **ids: None)
    log_in(client, "ada@example.com")
    with django_capture_on_commit_callbacks(execute=True):
        set_up_second_step(client)

    letters.sweep(now=timezone.now())

    assert "Second step switched on" in [message.subject for message in mail.outbox]


def test_guessing_a_password_is_stopped(cast, client, settings):
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "10/m/ip,5/5m/key"}
    for _ in range(5):
        log_in(client, "ada@example.com", "wrong")

    answer = log_in(client, "ada@example.com")

    assert answer.status_code == 200
    assert client.get("/home/").status_code == 302


def test_a_log_in_never_leads_off_the_site(cast, client):
    answer = client.post("/account/login/?next=https://elsewhere.example/", {"login": "ada@example.com", "password": world.PASSWORD})

    assert answer["Location"] == "/home/"


@pytest.mark.parametrize(
    "path", ["/account/login/", "/account/signup/", "/account/password/reset/", "/account/password/reset/done/", "/account/confirm-email/"]
)
def test_the_entrance_speaks_chinese(db, client, path):
    client.cookies["django_language"] = "zh-hans"

    page = client.get(path).content.decode()

    assert 'lang="zh-Hans"' in page
    assert re.search("[\u4e00-\u9fff]", re.sub("(?s)<header.*</header>", "", page))
