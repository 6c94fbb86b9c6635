"""The racks in a real browser: barriers, phones, filters with and without a script, what is pushed to an open wall, what asks before it acts."""

import threading
import time

import pytest
from django.db import connections
from playwright.sync_api import expect

from rentals.models import Server
from rentals.services import fleet
from tests import world
from tests.rentals import leaving

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def floor(transactional_db, now):
    """Three servers: one whose wipe failed for its tenant, one at work, one free."""
    cast = world.cast(now)
    racks = world.racks(now)
    evidence = leaving.wiped(cast, racks, now, complete=False)
    failed = evidence.server
    Server.objects.filter(pk=failed.pk).update(state="wipe_failed", state_reason="wipe: not erased: SIM7", state_since=now)
    operation = leaving.operation(cast, racks, now)
    Server.objects.filter(pk=operation.server_id).update(state="wiping", state_since=now)
    return {"cast": cast, "failed": failed, "operation": operation, "booking": evidence.assignment.booking}


def paths(floor) -> dict[str, str]:
    return {
        "wall": "/operate/",
        "servers": "/operate/servers/",
        "server": f"/operate/servers/{floor['failed'].serial}/",
        "new": "/operate/servers/new/",
        "deployments": "/operate/deployments/",
        "operation": f"/operate/operations/{floor['operation'].op_id}/",
    }


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("name", ["wall", "servers", "server", "new", "deployments", "operation"])
def test_a_page_has_no_barrier_and_fits(page, portal_url, log_in, floor, axe, fits, name, width):
    log_in(floor["cast"].olu)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(portal_url + paths(floor)[name])

    axe(page)
    fits(page)
    assert page.locator("h1").count() == 1


def test_the_racks_read_in_chinese_and_in_the_dark(browser, portal_url, client, floor, axe, fits):
    olu = floor["cast"].olu
    type(olu).objects.filter(pk=olu.pk).update(language="zh-hans")
    client.force_login(olu)
    context = browser.new_context(color_scheme="dark", viewport={"width": 390, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])
    page = context.new_page()

    for name, words in (("wall", "机架状况如何？"), ("server", "擦除了什么"), ("operation", "引擎原文")):
        page.goto(portal_url + paths(floor)[name])
        assert words in page.content()
        axe(page)
        fits(page)
    context.close()


def elsewhere(act) -> None:
    """Playwright's loop stands in this thread; what writes and pushes does so in another."""

    def work():
        act()
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)


def test_the_wall_changes_by_itself_when_a_server_does(page, portal_url, log_in, floor, now):
    log_in(floor["cast"].olu)
    page.goto(portal_url + "/operate/")
    free = Server.objects.exclude(state__in=["wipe_failed", "wiping"]).first()
    tile = page.locator(".rack-tile", has_text=free.serial)
    expect(tile).to_contain_text("available")
    elsewhere(lambda: fleet.move(server=free, to="maintenance", now=now))

    expect(tile).to_contain_text("maintenance", timeout=5000)


def test_a_hint_that_comes_while_the_wall_is_being_fetched_is_not_lost(page, portal_url, log_in, floor, now):
    log_in(floor["cast"].olu)
    page.goto(portal_url + "/operate/")
    free = Server.objects.exclude(state__in=["wipe_failed", "wiping"]).first()
    answers = []

    def slowly(route):
        answer = route.fetch()
        if not answers:  # what is fetched is old by the time it arrives
            elsewhere(lambda: fleet.move(server=free, to="maintenance", now=now))
            time.sleep(1)
        answers.append(answer.text())
        route.fulfill(response=answer)

    page.route("**/operate/", slowly)
    page.evaluate("document.body.dispatchEvent(new CustomEvent('portal:state'))")

    expect(page.locator(".rack-tile", has_text=free.serial)).to_contain_text("maintenance", timeout=5000)
    assert len(answers) > 1


def test_servers_are_filtered_without_a_reload_and_the_address_remembers(page, portal_url, log_in, floor):
    log_in(floor["cast"].olu)
    page.goto(portal_url + "/operate/servers/")
    page.evaluate("window.same = true")

    page.get_by_label("State").select_option("wipe_failed")

    expect(page.locator("#server-list tbody tr")).to_have_count(1)
    assert page.evaluate("window.same")
    page.reload()
    expect(page.locator("#server-list tbody tr")).to_have_count(1)


def test_taking_a_server_out_asks_with_the_consequence_and_works_without_a_script(browser, portal_url, client, floor):
    client.force_login(floor["cast"].olu)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])
    page = context.new_page()
    free = Server.objects.exclude(state__in=["wipe_failed", "wiping"]).first()
    page.goto(f"{portal_url}/operate/servers/{free.serial}/")

    page.get_by_text("Take out for maintenance").click()
    assert "leave the offer until you put the server back" in page.content()
    page.get_by_label("Reason").first.fill("loud fan")
    page.get_by_role("button", name="Take out", exact=True).click()

    assert "loud fan" in page.content()
    assert Server.objects.get(pk=free.pk).state == "maintenance"
    context.close()


def test_the_former_tenants_page_shows_the_way_out(page, portal_url, log_in, floor, axe):
    log_in(floor["cast"].ada)
    page.goto(f"{portal_url}/bookings/{floor['booking'].number}/")

    expect(page.locator("#booking-steps")).to_contain_text("Every disk erased")
    axe(page)
