"""Bookings over the API, by token."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from portal.accounts.domain import scopes
from portal.accounts.models import AuditEntry, TermsAcceptance
from portal.accounts.services import tokens
from rentals.models import Booking
from rentals.services import bookings
from tests.rentals.desk import HOUR

PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHqkCsuuc8tQkcsw+cVTB4q5sTzFU5VsyMRF3tVSTS9o ben@laptop"
BOOKINGS = "/api/v1/bookings/"


@pytest.fixture
def now():
    return timezone.now().replace(microsecond=0)


class Api:
    def __init__(self, secret: str) -> None:
        self.headers = {"authorization": f"Bearer {secret}"}

    def get(self, path: str):
        return Client().get(path, headers=self.headers)

    def post(self, path: str, body: dict | None = None, **headers):
        return Client().post(path, body or {}, content_type="application/json", headers={**self.headers, **headers})


@pytest.fixture
def api(cast, racks, now):
    def of(name: str = "ben", wanted=(scopes.BOOKINGS_READ, scopes.BOOKINGS_WRITE)) -> Api:
        user = getattr(cast, name)
        organisation = cast.other if name == "sid" else cast.lab
        return Api(tokens.create(user=user, organisation=organisation, name="ci", scopes=wanted, expires_at=None, by=user, now=now)[1])

    return of


@pytest.fixture
def order(racks):
    def wanted(**more) -> dict:
        return {"configuration": "a100-80-x8", "length_hours": 48, "image": racks.image.slug, "ssh_keys": [PUBLIC_KEY], **more}

    return wanted


def test_an_order_holds_and_tells_the_price_line_by_line(api, order, cast):
    answer = api().post(BOOKINGS, order(quantity=2))

    said = answer.json()
    assert answer.status_code == 201, said
    booking = Booking.objects.get()
    assert (said["number"], said["state"], said["quantity"], said["configuration"]) == (booking.number, "held", 2, "a100-80-x8")
    assert said["price"]["net"] == {"amount": "1451.52", "currency": "USD"}
    assert said["price"]["lines"][0]["rule"] == "2 × 48 h × 15.12 USD"
    assert [server["state"] for server in said["servers"]] == ["reserved", "reserved"]
    assert booking.ssh_keys[0]["name"] == "ben@laptop"
    assert AuditEntry.objects.get(verb="booking.held").token is not None


def test_the_same_key_gives_the_first_answer_again(api, order):
    ben = api()

    first = ben.post(BOOKINGS, order(), **{"idempotency-key": "k1"})
    again = ben.post(BOOKINGS, order(), **{"idempotency-key": "k1"})
    other = ben.post(BOOKINGS, order(quantity=2), **{"idempotency-key": "k1"})

    assert (again.json(), again.headers["Idempotent-Replayed"]) == (first.json(), "true")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_key_reused")
    assert Booking.objects.count() == 1


def test_what_is_not_free_is_refused_with_the_facts(api, order, desk):
    desk.hold(quantity=2, start=0.2, hours=24, organisation=desk.cast.other, by=desk.cast.sid)

    answer = api().post(BOOKINGS, order(), **{"idempotency-key": "k1"})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["facts"]["reason"], error["facts"]["largest_quantity"]) == (409, "not_free", "taken", 0)
    assert error["facts"]["earliest_start"] is not None
    assert Booking.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"quantity": 0}, "quantity"),
        ({"quantity": -1}, "quantity"),
        ({"start": "tomorow 9"}, "start"),
        ({"start": "2027-03-28T02:30", "zone": "Europe/Berlin"}, "start"),
        ({"start": "2027-03-28T02:30", "zone": "Mars/Olympus"}, "start"),
        ({"length_hours": 0}, "length_hours"),
        ({"image": "windows"}, "image"),
        ({"ssh_keys": ["nonsense"]}, "ssh_keys"),
        ({"ssh_keys": []}, "ssh_keys"),
        ({"storage_class": "none", "storage_tb": 5}, "storage_class"),
        ({"start": "2020-01-01T00:00Z"}, "start"),
    ],
)
def test_a_wrong_input_is_named_and_nothing_is_stored(api, order, wrong, field):
    answer = api().post(BOOKINGS, order(**wrong))

    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field), answer.json()
    assert not Booking.objects.exists()


def test_a_start_is_an_instant_or_a_local_time_with_its_zone(api, order, now):
    day = (now + timedelta(days=40)).date()

    for start, zone in ((f"{day}T09:00:00Z", "Asia/Shanghai"), (f"{day}T17:00", "Asia/Shanghai")):
        said = api().post(BOOKINGS, order(start=start, zone=zone)).json()
        assert said["start"] == f"{day}T09:00:00Z"


def test_the_terms_can_be_accepted_on_the_way(api, order):
    TermsAcceptance.objects.all().delete()

    refused, accepted = api().post(BOOKINGS, order()), api().post(BOOKINGS, order(accept_terms=True))

    assert (refused.status_code, refused.json()["error"]["code"], accepted.status_code) == (409, "terms_not_accepted", 201)


def test_a_configuration_that_is_not_on_offer_is_not_found(api, order):
    assert api().post(BOOKINGS, order(configuration="none")).status_code == 404


def test_a_booking_is_read_ended_and_let_go_of(api, desk):
    running, held = desk.run(), desk.hold(start=30)
    ben = api()

    assert ben.get(f"{BOOKINGS}{running.number}/").json()["state"] == "active"
    assert [row["number"] for row in ben.get(f"{BOOKINGS}?show=current").json()["items"]] == [running.number]
    assert ben.post(f"{BOOKINGS}{held.number}/release/").json()["state"] == "cancelled"
    assert ben.post(f"{BOOKINGS}{held.number}/release/").status_code == 409
    assert ben.post(f"{BOOKINGS}{running.number}/end/").json()["state"] == "ending"
    bookings.observe_handed_back(assignment=running.assignments.get(), at=desk.now + 3 * HOUR, now=desk.now + 3 * HOUR)
    assert ben.get(f"{BOOKINGS}{running.number}/").json()["cost"]["is_final"] is True


def test_strangers_find_nothing_and_readers_may_not_act(api, desk, order):
    booking = desk.hold()

    assert Client().get(BOOKINGS).status_code == 401
    assert api("sid").get(f"{BOOKINGS}{booking.number}/").status_code == 404
    assert api("sid").get(BOOKINGS).json()["count"] == 0
    assert api("chen").get(f"{BOOKINGS}{booking.number}/").status_code == 200
    assert api("chen").post(f"{BOOKINGS}{booking.number}/release/").status_code == 403
    assert api("chen").post(BOOKINGS, order()).status_code == 403


def test_a_token_does_what_its_scopes_say(api, desk, order):
    reading = api("ben", (scopes.BOOKINGS_READ,))

    assert reading.get(BOOKINGS).status_code == 200
    assert (reading.post(BOOKINGS, order()).status_code, api("ben", (scopes.BILLING_READ,)).get(BOOKINGS).status_code) == (403, 403)


def test_the_catalog_is_public_and_tells_price_and_availability(racks, now):
    said = Client().get("/api/v1/catalog/").json()

    assert [row["sku"] for row in said] == ["a100-80-x8", "a100x8-t4x4"]
    assert (said[0]["rate"], said[0]["total"], said[0]["free_now"]) == ({"amount": "15.120000", "currency": "USD"}, 2, 2)
    assert Client().get("/api/v1/catalog/a100-80-x8/").json()["sku"] == "a100-80-x8"
    assert Client().get("/api/v1/catalog/none/").status_code == 404


def test_availability_is_told_in_steps(desk):
    booking = desk.hold(start=10, hours=5)

    said = Client().get("/api/v1/catalog/a100-80-x8/availability/").json()

    taken = [step for step in said["steps"] if step["free"] == 1]
    assert (said["total"], len(taken)) == (2, 1)
    assert taken[0]["start"] == (booking.during.lower - timedelta(minutes=40)).isoformat().replace("+00:00", "Z")
    for query in ("?from=tomorow", "?from=2026-12-24T10:00Z&to=2026-12-24T10:00Z", "?from=2026-01-01T00:00Z&to=2027-01-01T00:00Z"):
        assert Client().get(f"/api/v1/catalog/a100-80-x8/availability/{query}").status_code == 400


def test_a_price_is_told_before_anything_is_held(api, racks, desk):
    wish = {"quantity": 1, "length_hours": 24}

    visitor = Client().post("/api/v1/catalog/a100-80-x8/price/", wish, content_type="application/json").json()
    member = api().post("/api/v1/catalog/a100-80-x8/price/", wish).json()

    assert (visitor["price"]["net"]["amount"], visitor["price"]["tax_known"], visitor["is_bookable"]) == ("362.88", False, True)
    assert (member["price"]["gross"]["amount"], member["price"]["tax_known"]) == ("431.83", True)
    desk.hold(quantity=2, start=0.5, hours=5)
    refused = api().post("/api/v1/catalog/a100-80-x8/price/", wish).json()
    assert (refused["is_bookable"], refused["field"], refused["largest_quantity"]) == (False, "start", 0)
    assert refused["earliest_start"] is not None and refused["price"] is not None
    assert not Booking.objects.exclude(state="held").exists()
