"""Choosing, holding and following a Booking in a real browser: barriers, phones, the price without a reload and without a script."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from portal.accounts.models import SshKey
from rentals.models import Booking
from rentals.services.bookings import moves
from tests import world
from tests.rentals.desk import HOUR, Desk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CONFIGURE = "/catalog/a100-80-x8/configure/"
ACCESS = {"host": "203.0.113.7", "port": 2201, "login": "ubuntu", "simulated": True}


@pytest.fixture
def now():
    return timezone.now().replace(microsecond=0)


@pytest.fixture
def desk(transactional_db, now) -> Desk:
    """Lovelace Labs, six hours into a world with prices and servers; Ada has a key."""
    earlier = now - 6 * HOUR
    desk = Desk(world.cast(now), world.racks(earlier), earlier)
    SshKey.objects.create(user=desk.cast.ada, name="laptop", public_key="ssh-ed25519 AAAA ada", fingerprint="SHA256:abc", created_at=now)
    return desk


def address_of(desk: Desk, name: str, now) -> str:
    """The address of a page in the state that `name` says."""
    if name == "configure":
        return CONFIGURE
    if name == "taken":
        desk.hold(quantity=2, start=6.5, hours=30, now=now)
        return CONFIGURE
    if name == "list":
        desk.hold(start=30, hours=5, now=now)
        desk.run(start=1, hours=20)
        return "/bookings/"
    if name == "held":
        return f"/bookings/{desk.hold(start=10, hours=48, now=now, configuration=desk.racks.mixed).number}/"
    booking = desk.run(start=1, hours=48)
    booking.assignments.update(access=ACCESS)
    if name == "ended":
        desk.hand_back(booking, now)
    return f"/bookings/{booking.number}/"


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("name", ["configure", "taken", "list", "held", "active", "ended"])
def test_a_page_has_no_barrier_and_fits(page, portal_url, log_in, desk, now, axe, fits, name, width):
    log_in(desk.cast.ada)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(portal_url + address_of(desk, name, now))

    axe(page)
    fits(page)
    assert page.locator("h1").count() == 1


def test_the_price_follows_the_choice_without_a_reload(page, portal_url, log_in, desk):
    log_in(desk.cast.ada)
    page.goto(portal_url + CONFIGURE)
    page.evaluate("window.same = true")
    expect(page.locator("#price")).to_contain_text("1,088.64")

    page.get_by_label("How many").fill("2")

    expect(page.locator("#price")).to_contain_text("2,177.28")
    assert page.evaluate("window.same")
    page.locator("#price details summary").first.click()
    expect(page.locator("#price")).to_contain_text("2 × 72 h × 15.12 USD")


def test_a_hold_is_made_and_let_go_of_in_the_browser(page, portal_url, log_in, desk):
    log_in(desk.cast.ada)
    page.goto(portal_url + CONFIGURE)

    page.get_by_role("button", name="Hold for 15 min and pay").click()
    page.wait_for_url(re.compile("/bookings/B-"))
    expect(page.locator("#booking-status [data-countdown]")).to_have_text(re.compile(r"1[45].min"))
    page.get_by_role("button", name="Let go of it").click()

    expect(page.locator("#booking-status")).to_contain_text("cancelled")
    assert Booking.objects.get().state == "cancelled"


def test_without_a_script_the_price_is_updated_by_a_button_and_the_hold_is_the_same(browser, portal_url, desk, client):
    client.force_login(desk.cast.ada)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])
    page = context.new_page()
    page.goto(portal_url + CONFIGURE)

    page.get_by_label("How many").fill("2")
    page.get_by_role("button", name="Update price").click()
    assert "2,177.28" in page.locator("#price").inner_text()
    page.get_by_role("button", name="Hold for 15 min and pay").click()

    assert "/bookings/B-" in page.url
    assert Booking.objects.get().quantity == 2
    context.close()


def test_ending_asks_first_and_says_what_goes_back(page, portal_url, log_in, desk, now):
    log_in(desk.cast.ada)
    page.goto(portal_url + address_of(desk, "active", now))

    page.locator("summary", has_text="End now").click()
    expect(page.locator(".confirm-body")).to_contain_text("USD goes back to you")
    page.locator(".confirm-body button").click()

    expect(page.locator("#booking-status")).to_contain_text("ending")


def test_what_happens_elsewhere_is_pushed_to_the_open_page(page, portal_url, log_in, desk, now):
    booking = desk.hold(start=10, hours=48, now=now)
    log_in(desk.cast.ada)
    with page.expect_websocket() as socket, page.expect_response(re.compile("/status/")):  # once the line stands the page asks
        page.goto(f"{portal_url}/bookings/{booking.number}/")
    expect(page.locator("#booking-events li")).to_have_count(1)

    moves.note(booking=booking, kind="payment_failed", at=now + timedelta(seconds=1), key="p1", reason="declined")

    expect(page.locator("#booking-events li")).to_have_count(2)
    expect(page.locator("#booking-events li").first).to_contain_text("declined")
    assert not socket.value.is_closed()
