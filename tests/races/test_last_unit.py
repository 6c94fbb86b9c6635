"""Fifty buyers want the last Unit at once, over HTTP, from a real server with two workers. One gets it.

The controls show that it is the guard that does it: without the lock the constraint still judges, without both the Unit is sold more than once.
"""

from __future__ import annotations

import asyncio
import collections
from datetime import timedelta

import httpx
import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.utils import timezone

from portal.accounts.domain import scopes
from portal.accounts.models import TermsAcceptance, TermsVersion, User
from portal.accounts.services import organisations, tokens
from rentals.models import Assignment, Booking, Component, Configuration
from rentals.queries import audits
from rentals.services import inventory
from tests.races.serving import serving
from tests.rentals.desk import KEY, Desk

BUYERS = 50
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHqkCsuuc8tQkcsw+cVTB4q5sTzFU5VsyMRF3tVSTS9o buyer"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stack]


@pytest.fixture
def now():
    return timezone.now().replace(microsecond=0)


@pytest.fixture
def desk(transactional_db, cast, racks, now) -> Desk:
    return Desk(cast, racks, now)


def buyers(desk: Desk, count: int = BUYERS) -> list[User]:
    """People each of whom could buy: an Organisation of his own with an address, a confirmed mail address, the terms accepted."""
    terms = TermsVersion.objects.get()
    found = []
    for number in range(count):
        user = User.objects.create_user(f"buyer{number}@example.com", name=f"Buyer {number}")
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        organisation = organisations.found(
            by=user, now=desk.now, name=f"Buyer {number}", legal_name=f"Buyer {number} GmbH", street="Torstr. 1", city="Berlin", postal_code="10119",
            country="DE", billing_email=user.email, currency="USD",
        )  # fmt: skip
        TermsAcceptance.objects.create(user=user, organisation=organisation, terms=terms, accepted_at=desk.now)
        found.append(user)
    return found


def secrets(people: list[User], now) -> list[str]:
    wanted = [scopes.BOOKINGS_READ, scopes.BOOKINGS_WRITE]
    return [
        tokens.create(user=user, organisation=user.memberships.get().organisation, name="race", scopes=wanted, expires_at=None, by=user, now=now)[1]
        for user in people
    ]


def order(desk: Desk, sku: str = "a100-80-x8") -> dict:
    start = desk.now + timedelta(days=1)
    return {"configuration": sku, "start": start.isoformat(), "length_hours": 24, "image": desk.racks.image.slug, "ssh_keys": [PUBLIC_KEY]}


def all_at_once(requests: list[dict]) -> list[httpx.Response]:
    """Send everything in the same instant; an answer that does not come within two minutes fails."""

    async def send() -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=len(requests))
        async with httpx.AsyncClient(timeout=120, limits=limits, follow_redirects=False) as client:
            return await asyncio.gather(*(client.request(**request) for request in requests))

    return asyncio.run(send())


def by_api(address: str, desk: Desk, people: list[User], skus: tuple[str, ...] = ("a100-80-x8",)) -> list[httpx.Response]:
    return all_at_once(
        [
            {
                "method": "POST",
                "url": f"{address}/api/v1/bookings/",
                "json": order(desk, skus[number % len(skus)]),
                "headers": {"Authorization": f"Bearer {secret}"},
            }
            for number, secret in enumerate(secrets(people, desk.now))
        ]
    )


def by_form(address: str, desk: Desk, people: list[User]) -> list[httpx.Response]:
    start = (desk.now + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    form = {"start": start, "zone": "UTC", "length": 1, "unit": "days", "quantity": 1, "image": desk.racks.image.slug, "new_key": PUBLIC_KEY, "once": ""}
    csrf = "a" * 32
    requests = []
    for user in people:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        cookies = f"csrftoken={csrf}; sessionid={client.cookies['sessionid'].value}"
        headers = {"Cookie": cookies, "X-CSRFToken": csrf}
        requests.append({"method": "POST", "url": f"{address}/catalog/a100-80-x8/hold/", "data": form, "headers": headers})
    return all_at_once(requests)


def statuses(answers: list[httpx.Response]) -> dict[int, int]:
    return dict(collections.Counter(answer.status_code for answer in answers))


def deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return cursor.fetchone()[0]


def take_one(desk: Desk) -> Booking:
    """Of two Units one is held for that time: what the buyers want is the last."""
    return desk.hold(start=24, hours=24, ssh_keys=[KEY])


def test_one_of_fifty_buyers_gets_the_last_unit_over_the_api(desk):
    take_one(desk)
    people, before = buyers(desk), deadlocks()

    with serving() as address:
        answers = by_api(address, desk, people)

    assert statuses(answers) == {201: 1, 409: 49}
    refused = [answer.json()["error"] for answer in answers if answer.status_code == 409]
    assert {error["code"] for error in refused} == {"not_free"}
    assert all(error["message"] and error["facts"]["earliest_start"] for error in refused)
    assert Booking.objects.filter(state="held").count() == 2
    assert Assignment.objects.values("server").distinct().count() == Assignment.objects.count() == 2
    assert (deadlocks(), audits.audit(now=desk.now)) == (before, [])


def test_one_of_fifty_buyers_gets_the_last_unit_over_the_pages(desk):
    take_one(desk)
    people, before = buyers(desk), deadlocks()

    with serving() as address:
        answers = by_form(address, desk, people)

    assert statuses(answers) == {302: 1, 409: 49}
    assert all("the others are rented" in answer.text for answer in answers if answer.status_code == 409)
    assert [answer.headers["location"][:12] for answer in answers if answer.status_code == 302] == ["/bookings/B-"]
    assert Booking.objects.filter(state="held").count() == 2
    assert (deadlocks(), audits.audit(now=desk.now)) == (before, [])


def test_bundles_that_want_the_same_units_in_opposite_order_never_deadlock(desk):
    turned = Configuration.objects.create(
        sku="t4x4-a100x8", name="turned", name_zh="turned", summary="t", summary_zh="t", template="train_serve", source="tests"
    )
    for position, component in enumerate(reversed(desk.racks.mixed.components.order_by("position"))):
        Component.objects.create(configuration=turned, unit_kind=component.unit_kind, count=1, position=position)
    t4 = desk.racks.t4.units.get().server
    inventory.add_server(
        serial="srv-t2", model=t4.model, site=t4.site, fabric=t4.fabric, rack="R1", bmc_address="", engine="simulated", by=None, now=desk.now, verified=True
    )
    people, before = buyers(desk, 20), deadlocks()

    with serving() as address:
        answers = by_api(address, desk, people, (desk.racks.mixed.sku, turned.sku))

    assert statuses(answers) == {201: 2, 409: 18}
    assert Assignment.objects.count() == 4
    assert (deadlocks(), audits.audit(now=desk.now)) == (before, [])


def test_without_the_lock_the_constraint_is_still_the_judge_and_the_losers_are_told_so(desk):
    take_one(desk)
    people = buyers(desk, 20)

    with serving("tests.races.unguarded:application") as address:
        answers = by_api(address, desk, people)

    assert statuses(answers) == {201: 1, 409: 19}
    codes = {answer.json()["error"]["code"] for answer in answers if answer.status_code == 409}
    assert "unit_taken" in codes and codes <= {"unit_taken", "not_free"}
    assert audits.audit(now=desk.now) == []


@pytest.fixture
def no_constraint(transactional_db):
    """The exclusion constraint taken out of this test's database, and put back when its rows are gone."""
    with connection.schema_editor() as editor:
        constraint = next(each for each in Assignment._meta.constraints if each.name == "rentals_never_twice")
        editor.remove_constraint(Assignment, constraint)
    yield
    Assignment.objects.all().delete()
    with connection.schema_editor() as editor:
        editor.add_constraint(Assignment, constraint)


def test_control_without_lock_and_constraint_the_last_unit_is_sold_more_than_once(no_constraint, desk):
    take_one(desk)
    people = buyers(desk, 20)

    with serving("tests.races.unguarded:application") as address:
        answers = by_api(address, desk, people)

    assert statuses(answers).get(201, 0) > 1
    assert any("assigned twice" in finding for finding in audits.audit(now=desk.now))
