"""One walk over the whole URL configuration: who gets in, who is sent to the log-in, who gets 404 and who 403 (design.md 4.13)."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from portal.accounts.domain import roles
from portal.accounts.services import organisations
from tests import world
from tests.web import access_table

BOTH = ("GET", "POST")
BACKEND = "django.contrib.auth.backends.ModelBackend"
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def names(patterns: list, prefix: str = "") -> Iterator[str]:
    """Full names of all addresses; an address without a name is told by its route."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace in access_table.NAMESPACES_OF_ADMINISTRATORS:
                continue
            yield from names(pattern.url_patterns, f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix)
        elif isinstance(pattern, URLPattern):
            yield prefix + (pattern.name or f"unnamed {pattern.pattern}")


ALL = sorted(set(names(get_resolver().url_patterns)))


@dataclass(frozen=True)
class Stage:
    """One person for each role (ada owner, alf admin, ben member, bea billing, chen reader; mei, fin, olu for the staff; sid a stranger) and a browser for
    each, logged in, and one for a visitor."""

    cast: world.Cast
    people: dict[str, Any]
    clients: dict[str, Client]


@pytest.fixture(scope="module")
def stage(django_db_setup, django_db_blocker) -> Iterator[Stage]:
    """The same people for the whole walk, which asks some thousand times; what they do is undone after each test."""
    with django_db_blocker.unblock(), transaction.atomic():
        cast, alf = world.cast(NOW), world.person("Alf")
        organisations.add_member(organisation=cast.lab, user=alf, role=roles.ADMIN, by=cast.ada, now=NOW)
        members = {roles.OWNER: cast.ada, roles.ADMIN: alf, roles.MEMBER: cast.ben, roles.BILLING: cast.bea, roles.READER: cast.chen}
        staff = {roles.ACCOUNT_MANAGER: cast.mei, roles.FINANCE: cast.fin, roles.OPERATOR: cast.olu}
        people = {**members, **staff, "stranger": cast.sid}
        clients = {who: Client(raise_request_exception=False) for who in ("visitor", *people)}
        for who, person in people.items():
            clients[who].force_login(person, backend=BACKEND)
        yield Stage(cast, people, clients)
        transaction.set_rollback(True)


@pytest.fixture
def people(stage) -> Iterator[dict[str, Any]]:
    with transaction.atomic():
        yield stage.people
        transaction.set_rollback(True)


@pytest.fixture
def ask(stage, people):
    """ask(name, who, method) -> response; who is a role, "stranger" or "visitor"."""
    things = access_table.Things(stage.cast, NOW)

    def asked(name: str, who: str, method: str):
        """A browser that has just this session: what an earlier answer set or ended does not count."""
        address = reverse(name, kwargs=access_table.TABLE[name].args(things))
        client = copy.deepcopy(stage.clients[who])
        with transaction.atomic():
            response = client.get(address) if method == "GET" else client.post(address)
            transaction.set_rollback(True)
        return response

    return asked


def refused(row: access_table.Row, who: str) -> int | None:
    """The status that this person must get, None when he may come in."""
    if row.kind == "closed":
        return 403
    if row.kind in ("public", "own"):
        return None
    if who == "stranger":
        return None if row.kind == "current" else 404
    if who in roles.STAFF:
        return None if who in row.staff else 403
    if who in row.roles:
        return None
    return 404 if row.kind == "staff" else 403


def is_log_in(response) -> bool:
    return response.status_code == 302 and response["Location"].startswith(("/account/login/", "/account/reauthenticate/"))


def test_every_address_is_classified():
    assert [name for name in ALL if name not in access_table.TABLE] == [], "add a line to tests/web/access_table.py"


def test_every_classified_address_exists():
    assert [name for name in access_table.TABLE if name not in ALL] == []


@pytest.mark.parametrize("name", [name for name in ALL if name in access_table.TABLE])
def test_only_the_right_people_come_in(name, ask):
    row = access_table.TABLE[name]

    wrong = []
    for who in ("visitor", "stranger", *roles.EVERYONE, *roles.STAFF):
        for method in BOTH:
            problem = judge(row, who, method, ask)
            if problem:
                wrong.append(f"{method} as {who}: {problem}")

    assert wrong == []


def judge(row: access_table.Row, who: str, method: str, ask) -> str:
    """What is wrong with the answer, "" when nothing is. A method that the view does not answer may be told so by 405 before the person is looked at."""
    name = next(key for key, value in access_table.TABLE.items() if value is row)
    answered = method in row.methods
    expected = None if who == "visitor" else refused(row, who)
    comes_in = who != "visitor" and expected is None
    if comes_in and method == "POST" and not (answered and row.try_post):
        return ""
    response = ask(name, who, method)
    status = response.status_code
    if status >= 500:
        return f"{status}"
    if status == 405:
        return "" if not answered else "405"
    if who == "visitor":
        return judge_visitor(row, response)
    if expected is not None:
        return "" if status == expected else f"{status}, not {expected}"
    lacking = status == 404 and row.kind != "public" and not row.may_lack
    return f"{status}" if status in (401, 403) or lacking else ""


def judge_visitor(row: access_table.Row, response) -> str:
    turned_away = response.status_code == 401 if response.wsgi_request.path.startswith("/api/") else is_log_in(response)
    if row.kind == "public":
        return f"{response.status_code} for a public page" if turned_away or response.status_code == 403 else ""
    return "" if turned_away else f"{response.status_code}, not the log-in"


@pytest.mark.parametrize("who", ["visitor", "stranger", roles.OWNER, roles.OPERATOR])
def test_the_door_of_the_administration_is_shut(who, people):
    client = Client()
    if who != "visitor":
        client.force_login(people[who], backend=BACKEND)

    response = client.get(reverse("admin:index"))

    assert is_log_in(response) if who == "visitor" else response.status_code == (403 if who == roles.OPERATOR else 404)


def test_the_administrator_opens_the_administration(db):
    admin = world.User.objects.create_superuser("root@example.com", world.PASSWORD)
    client = Client()
    client.force_login(admin, backend=BACKEND)

    assert client.get(reverse("admin:index")).status_code == 200
