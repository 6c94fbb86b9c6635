"""The pages of a Booking: each works, a stranger gets 404, the wrong role 403."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from portal.accounts.models import SshKey, TermsAcceptance
from rentals.models import Booking
from rentals.services import bookings
from tests import world
from tests.rentals.desk import HOUR, Desk

SECRETS = re.compile(r"B-[0-9]+|value=\"[A-Za-z0-9]{64}\"|\"x-csrftoken\": \"[^\"]+\"|data-now=\"[0-9]+\"")
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def now():
    """Pages look at the clock: so does this world."""
    return timezone.now().replace(microsecond=0)


@pytest.fixture
def as_(cast):
    def logged_in(name: str) -> Client:
        client = Client()
        client.force_login(getattr(cast, name), backend=BACKEND)
        return client

    return logged_in


@pytest.fixture
def key(cast, now) -> SshKey:
    return SshKey.objects.create(user=cast.ada, name="laptop", public_key="ssh-ed25519 AAAA ada", fingerprint="SHA256:abc", created_at=now)


def wish(desk: Desk, **more) -> dict:
    return {
        "start": "", "zone": "UTC", "length": "2", "unit": "days", "quantity": "1", "storage": "", "storage_tb": "0", "image": desk.racks.image.slug,
        "keys": ["SHA256:abc"], "new_key": "", "purchase_order": "", "once": "k1", **more,
    }  # fmt: skip


CONFIGURE, HOLD = "/catalog/a100-80-x8/configure/", "/catalog/a100-80-x8/hold/"


def test_a_visitor_sees_the_price_without_tax_and_is_asked_to_log_in(desk, client):
    page = client.get(CONFIGURE).content.decode()

    assert "1,088.64" in page  # 3 days x 24 h x 15.12
    assert "Tax is added according to your address." in page
    assert "Log in to book" in page


def test_the_price_follows_the_choice_line_by_line(desk, key, as_):
    part = as_("ada").post(CONFIGURE, wish(desk, quantity="2"), headers={"HX-Request": "true"}).content.decode()

    assert part.lstrip().startswith('<div id="price"')
    assert "1,451.52" in part  # 2 x 48 h x 15.12
    assert "Total" in part


def test_without_javascript_the_same_comes_as_a_page(desk, key, as_):
    answer = as_("ada").post(CONFIGURE, wish(desk, quantity="2"))

    assert answer.status_code == 200
    assert "1,451.52" in answer.content.decode()
    assert "<h1>" in answer.content.decode()


def test_what_is_taken_is_told_with_the_earliest_start(desk, key, as_):
    desk.hold(quantity=2, start=1, hours=24)

    part = as_("ada").post(CONFIGURE, wish(desk), headers={"HX-Request": "true"}).content.decode()

    assert "the others are rented" in part
    assert "Take the earliest start" in part


def test_a_hold_leads_to_its_page_with_the_countdown_and_the_price(desk, key, as_):
    ada = as_("ada")

    answer = ada.post(HOLD, wish(desk), follow=True)

    page = answer.content.decode()
    booking = Booking.objects.get()
    assert answer.redirect_chain == [(f"/bookings/{booking.number}/", 302)]
    assert (booking.organisation, booking.booked_by, booking.ssh_keys[0]["name"]) == (desk.cast.lab, desk.cast.ada, "laptop")
    assert "data-countdown" in page and "725.76" in page and "Pay" in page


def test_the_same_form_sent_twice_holds_once(desk, key, as_):
    ada = as_("ada")

    ada.post(HOLD, wish(desk))
    ada.post(HOLD, wish(desk))

    assert Booking.objects.count() == 1


def test_a_start_is_read_in_its_zone(desk, key, as_):
    day = (desk.now + timedelta(days=30)).date()

    as_("ada").post(HOLD, wish(desk, start=f"{day}T10:00", zone="Europe/Berlin"))

    local = timezone.localtime(Booking.objects.get().during.lower, timezone=__import__("zoneinfo").ZoneInfo("Europe/Berlin"))
    assert (local.date(), local.hour) == (day, 10)


@pytest.mark.parametrize("start", ["tomorow 9", "2026-13-45T10:00", "soon"])
def test_an_unreadable_start_is_an_error_and_never_now(desk, key, as_, start):
    answer = as_("ada").post(HOLD, wish(desk, start=start))

    assert answer.status_code == 400
    assert "This is not a date and time" in answer.content.decode()
    assert not Booking.objects.exists()


@pytest.mark.parametrize("quantity", ["0", "-1", "many", ""])
def test_a_quantity_below_one_is_an_error_at_the_field(desk, key, as_, quantity):
    answer = as_("ada").post(HOLD, wish(desk, quantity=quantity))

    assert answer.status_code == 400
    assert answer.context["configure"]["form"].errors.keys() == {"quantity"}
    assert not Booking.objects.exists()


def test_a_refused_hold_keeps_what_was_typed_and_says_why(desk, key, as_):
    desk.hold(quantity=2, start=1, hours=24)

    answer = as_("ada").post(HOLD, wish(desk, purchase_order="PO-7"))

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "the others are rented" in page and 'value="PO-7"' in page


def test_the_terms_are_ticked_on_the_way(desk, key, as_):
    TermsAcceptance.objects.all().delete()
    ada = as_("ada")

    refused = ada.post(HOLD, wish(desk))
    accepted = ada.post(HOLD, wish(desk, terms="on"))

    assert (refused.status_code, accepted.status_code) == (409, 302)
    assert TermsAcceptance.objects.get().user == desk.cast.ada


def test_what_is_missing_is_told_before_the_form_is_filled(desk, key, as_):
    desk.cast.lab.street = ""
    desk.cast.lab.save()

    page = as_("ada").get(CONFIGURE).content.decode()

    assert "street and number is missing" in page


def test_who_only_reads_sees_the_price_and_cannot_hold(desk, as_):
    chen = as_("chen")

    assert "does not book" in chen.get(CONFIGURE).content.decode()
    assert chen.post(HOLD, wish(desk)).status_code == 403


def test_a_configuration_that_is_not_offered_is_not_found(desk, client):
    desk.racks.a100x8.is_offered = False
    desk.racks.a100x8.save()

    assert client.get(CONFIGURE).status_code == 404


@pytest.mark.parametrize(("who", "status"), [("ada", 200), ("chen", 200), ("bea", 200), ("olu", 200), ("mei", 200), ("fin", 403), ("sid", 404)])
def test_the_page_of_a_booking_is_for_its_organisation_and_for_staff_who_need_it(desk, as_, who, status):
    booking = desk.hold()

    assert as_(who).get(f"/bookings/{booking.number}/").status_code == status


def test_a_stranger_learns_nothing_from_a_number(desk, as_):
    sid = as_("sid")

    there, nowhere = sid.get(f"/bookings/{desk.hold().number}/"), sid.get("/bookings/B-99999/")

    assert there.status_code == nowhere.status_code == 404
    assert SECRETS.sub("", there.content.decode()) == SECRETS.sub("", nowhere.content.decode())


def test_a_running_booking_shows_how_to_get_in_what_it_cost_and_what_ending_gives_back(cast, as_, now):
    earlier = now - 6 * HOUR
    desk = Desk(cast, world.racks(earlier), earlier)
    booking = desk.run(start=1, hours=48)
    access = {"host": "203.0.113.7", "port": 2201, "login": "ubuntu", "simulated": True}
    booking.assignments.update(access=access)

    page = as_("ada").get(f"/bookings/{booking.number}/").content.decode()

    assert "ssh ubuntu@203.0.113.7 -p 2201" in page
    assert "75.60" in page or "75.85" in page  # five hours, and a minute begun
    assert "The server is taken back now and wiped; what is on it is lost." in page
    assert re.search(r"7[67][0-9]\.[0-9]{2} USD goes back to you", page)  # what is left of 863.65 with tax


def test_a_reader_sees_the_page_without_its_buttons(desk, as_):
    booking = desk.run()

    page = as_("chen").get(f"/bookings/{booking.number}/").content.decode()

    assert "End now" not in page and "Invoices and credit notes" not in page


def test_letting_go_of_a_hold(desk, as_):
    booking = desk.hold()

    assert as_("sid").post(f"/bookings/{booking.number}/release/").status_code == 404
    assert as_("chen").post(f"/bookings/{booking.number}/release/").status_code == 403
    page = as_("ben").post(f"/bookings/{booking.number}/release/", follow=True).content.decode()

    assert f"{booking.number} is no longer held for you." in page
    assert desk.again(booking).state == "cancelled"


def test_ending_a_booking(desk, as_):
    booking = desk.run()

    assert as_("sid").post(f"/bookings/{booking.number}/end/").status_code == 404
    assert as_("bea").post(f"/bookings/{booking.number}/end/").status_code == 403
    as_("ada").post(f"/bookings/{booking.number}/end/")

    assert desk.again(booking).state == "ending"


def test_an_ended_booking_shows_what_it_came_to(desk, as_):
    booking = desk.run(start=1, hours=48)
    desk.hand_back(booking, booking.during.lower + 5 * HOUR)

    page = as_("ada").get(f"/bookings/{booking.number}/").content.decode()

    assert "75.60" in page and "Given back" in page and "handed back" in page


def test_parts_come_alone_and_a_page_that_became_another_is_loaded_anew(desk, as_):
    booking = desk.hold()
    ada, hx = as_("ada"), {"HX-Request": "true"}

    for name in ("status", "servers", "events"):
        part = ada.get(f"/bookings/{booking.number}/{name}/", headers=hx).content.decode()
        assert part.lstrip().startswith(f'<section class="panel" id="booking-{name}"')
    same = ada.get(f"/bookings/{booking.number}/status/?was=held", headers=hx)
    bookings.release(booking=booking, by=desk.cast.ada, now=desk.now)
    other = ada.get(f"/bookings/{booking.number}/status/?was=held", headers=hx)

    assert ("HX-Refresh" in same, other["HX-Refresh"]) == (False, "true")


def test_the_list_shows_ones_own_and_can_be_narrowed(desk, as_):
    held, running = desk.hold(), desk.run(start=2)
    desk.hold(organisation=desk.cast.other, by=desk.cast.sid, start=60)
    ada = as_("ada")

    def found(query: str) -> list[str]:
        return [row.number for row in ada.get(f"/bookings/{query}").context["page"].items]

    assert found("") == [running.number, held.number]
    assert found("?show=current") == [running.number]
    assert found("?show=held") == [held.number]
    assert found("?show=past") == []
    assert found(f"?number={held.number.lower()}") == [held.number]
    assert found("?number=nonsense") == []
    assert found("?configuration=a100-80-x8") == [running.number, held.number]
    assert found("?show=nonsense") == []


def test_the_list_goes_on_where_it_ended(desk, as_, monkeypatch):
    from rentals.queries import bookings as queries

    three = [desk.hold(start=1 + 30 * number, hours=2) for number in range(3)]
    monkeypatch.setattr(queries.listing, "__kwdefaults__", {**queries.listing.__kwdefaults__, "size": 2})
    ada = as_("ada")

    first = ada.get("/bookings/").context["page"]
    second = ada.get(f"/bookings/?after={first.next}").context["page"]

    assert [row.number for row in first.items + second.items] == [booking.number for booking in reversed(three)]
    assert (first.count, second.next) == (3, "")


def test_an_empty_list_teaches_the_next_step(desk, as_):
    assert "Choose a configuration to make the first." in as_("ada").get("/bookings/").content.decode()
    assert "No booking fits these filters." in as_("ada").get("/bookings/?show=past").content.decode()


@pytest.mark.parametrize(
    ("address", "most"), [("/bookings/", 10), ("/bookings/{number}/", 22), ("/catalog/a100-80-x8/configure/", 30)], ids=["list", "page", "configure"]
)
def test_a_page_asks_the_database_no_more_than_this(desk, key, as_, address, most, django_assert_max_num_queries):
    for number in range(3):
        booking = desk.run(start=1 + 30 * number, hours=5)
    ada = as_("ada")

    with django_assert_max_num_queries(most):
        answer = ada.get(address.format(number=booking.number))

    assert answer.status_code == 200
