"""manage.py demo: what a newcomer finds, loaded as often as you like."""

import json

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from portal.accounts import queries as accounts
from portal.web.demo import loading, people
from rentals.models import Configuration, Server
from rentals.queries import live


@pytest.fixture
def demo(db, settings, tmp_path, now):
    settings.DEMO, settings.VAR = True, tmp_path
    loading.load(now=now)
    return tmp_path


def test_everybody_can_log_in_with_the_password_that_is_printed(demo):
    printed = json.loads((demo / "demo.json").read_text())["people"]

    assert [one["who"] for one in printed] == ["customer", "account manager", "finance", "operator"]
    assert all(authenticate(email=one["email"], password=one["password"]) for one in printed)


def test_staff_have_their_roles_and_the_customer_lacks_nothing_for_a_checkout(demo):
    for person in people.STAFF:
        user = authenticate(email=person.email, password=person.password)
        assert accounts.staff_roles_of(user) == {person.role}
    customer = authenticate(email=people.CUSTOMER.email, password=people.CUSTOMER.password)
    lab = accounts.current_organisation(customer)

    assert accounts.missing_for_checkout(lab, user=customer) == []


def test_there_is_a_catalog_and_a_fleet_whose_agents_have_tokens(demo):
    fleet = json.loads((demo / "fleet.json").read_text())

    assert Configuration.objects.filter(is_offered=True).count() >= 10
    assert {entry["server"] for entry in fleet} == set(Server.objects.values_list("serial", flat=True)) != set()
    assert live.fleet()


def test_loading_again_changes_nothing(demo, now):
    before = {path.name: path.read_text() for path in demo.iterdir()}

    loading.load(now=now)

    assert {path.name: path.read_text() for path in demo.iterdir()} == before


def test_it_is_refused_where_strangers_come(db, settings):
    settings.DEMO = False

    with pytest.raises(loading.NotADemo):
        call_command("demo")
