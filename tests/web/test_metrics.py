"""What Prometheus may read, and from where."""

import pytest
from django.utils import timezone

from portal.accounts.services import letters


def test_this_machine_reads_counts_and_gauges(db, client):
    letters.write(address="a@example.com", kind="account", now=timezone.now())
    client.get("/healthz")

    text = client.get("/metrics").content.decode()

    assert 'portal_requests_total{address="web:healthz",method="GET",status="2xx"}' in text
    assert "portal_letters_waiting 1" in text
    assert "portal_payments_unheard 0" in text


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"authorization": "Bearer "}])
def test_another_machine_finds_nothing_without_the_token(db, client, settings, headers):
    settings.METRICS_TOKEN = "right"

    assert client.get("/metrics", headers=headers, REMOTE_ADDR="192.0.2.1").status_code == 404


def test_another_machine_reads_with_the_token(db, client, settings):
    settings.METRICS_TOKEN = "right"

    assert client.get("/metrics", headers={"authorization": "Bearer right"}, REMOTE_ADDR="192.0.2.1").status_code == 200


def test_without_a_token_set_no_token_opens(db, client):
    assert client.get("/metrics", headers={"authorization": "Bearer "}, REMOTE_ADDR="192.0.2.1").status_code == 404


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-forwarded-proto", "forwarded", "via"])
def test_who_comes_through_a_proxy_on_this_machine_is_not_this_machine(db, client, header):
    assert client.get("/metrics", headers={header: "192.0.2.1"}).status_code == 404


def test_a_unix_socket_is_no_address(db, client):
    assert client.get("/metrics", REMOTE_ADDR="").status_code == 404


def test_addresses_are_counted_by_name_not_by_path(db, client):
    client.get("/nothing-is-here/")

    assert "nothing-is-here" not in client.get("/metrics").content.decode()
