"""The first page of each role."""

from datetime import timedelta

import pytest
from django.utils import timezone

from portal.accounts.domain import roles
from portal.accounts.models import TermsVersion
from portal.accounts.services import notifications, organisations, ssh_keys
from portal.web import home
from tests import world
from tests.accounts import public_keys

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def opened(client):
    """opened(user) -> what home shows him, and the text of the page."""

    def visit(user):
        client.force_login(user, backend=BACKEND)
        response = client.get("/home/")
        assert response.status_code == 200
        return response.context["home"], response.content.decode()

    return visit


def test_a_visitor_is_sent_to_the_log_in(client):
    assert client.get("/home/")["Location"].startswith("/account/login/")


def test_a_newcomer_is_shown_how_to_found_an_organisation(db, opened):
    shown, text = opened(world.person("Grace"))

    assert shown.customer is None
    assert "/organisations/new/" in text


def test_an_owner_is_told_what_waits_for_him(cast, opened, now):
    TermsVersion.objects.create(version="2026-02", published_at=timezone.now() - timedelta(seconds=1), text_en="Newer.", text_zh="较新。")
    organisations.edit(organisation=cast.lab, by=cast.ada, now=now, city="")

    shown, text = opened(cast.ada)

    assert [todo.icon for todo in shown.customer.todos] == ["building", "file-text", "key"]
    assert "/terms/" in text and "/me/keys/" in text


def test_when_all_is_done_nothing_waits(cast, opened, now):
    ssh_keys.add(user=cast.ada, name="", text=public_keys.ED25519[0], by=cast.ada, now=now)

    assert opened(cast.ada)[0].customer.todos == []


@pytest.mark.parametrize(("who", "may_book"), [("ben", True), ("chen", False), ("bea", False)])
def test_only_those_who_may_book_are_asked_to(cast, opened, who, may_book):
    shown, text = opened(getattr(cast, who))

    assert shown.customer.may_book is may_book
    assert bool(shown.customer.todos) is may_book


def test_unread_notifications_stand_on_it(cast, opened, now):
    notifications.notify(users=[cast.ada], kind="account", key="k", subject="B-1", path="/me/", now=now)

    assert len(opened(cast.ada)[0].told) == 1


@pytest.mark.parametrize(("who", "address"), [("mei", "/sales/"), ("fin", "/finance/"), ("olu", "/operate/")])
def test_each_of_our_people_finds_the_numbers_of_his_desk(racks, cast, opened, who, address):
    shown, text = opened(getattr(cast, who))

    assert shown.tiles and all(tile.path.startswith(address) for tile in shown.tiles)
    assert shown.customer is None


def test_finance_without_a_seller_still_has_a_home(cast, opened):
    assert opened(cast.fin)[0].tiles == []


def test_the_operator_counts_his_servers(racks, cast, opened):
    assert opened(cast.olu)[0].tiles[0].value == 3


def test_every_staff_role_has_its_numbers():
    assert set(home.TILES) == set(roles.STAFF)
