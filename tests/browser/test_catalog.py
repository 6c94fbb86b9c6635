"""The catalog in a real browser: filters without a reload, without a script, by keyboard, on a phone."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from rentals.services import catalog

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def stocked(transactional_db):
    yesterday = timezone.now() - timedelta(days=1)
    catalog.load(now=yesterday)
    catalog.add_demo_fleet(now=yesterday)


def test_a_facet_filters_without_a_reload_and_the_address_tells_it(page, portal_url, stocked):
    page.goto(portal_url)
    page.evaluate("window.sameDocument = true")

    page.get_by_role("checkbox", name="H100").check()

    expect(page.locator("#offer-count")).to_have_text("1 configuration")
    expect(page.locator(".offer")).to_have_count(1)
    expect(page.get_by_role("checkbox", name="H100")).to_be_checked()
    assert page.url.endswith("/?gpu=H100")
    assert page.evaluate("window.sameDocument") is True

    page.go_back()
    expect(page.locator(".offer")).to_have_count(10)


def test_focus_stays_on_the_facet_that_was_chosen(page, portal_url, stocked):
    page.goto(portal_url)

    page.get_by_role("checkbox", name="T4").focus()
    page.keyboard.press("Space")

    expect(page.locator(".offer")).to_have_count(2)
    assert page.evaluate("document.activeElement.value") == "T4"


def test_sorting_and_currency_go_along(page, portal_url, stocked):
    page.goto(portal_url)

    page.get_by_label("Currency").select_option("EUR")
    expect(page.locator(".offer").first).to_contain_text("14.00")
    page.get_by_label("Sort by").select_option("price")

    expect(page.locator(".offer").first).to_contain_text("0.21")
    assert "currency=EUR" in page.url and "sort=price" in page.url


def test_the_catalog_works_without_a_script(browser, portal_url, stocked):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(portal_url)

    page.get_by_label("Search").fill("grace hopper")
    page.get_by_role("button", name="Show", exact=True).first.click()

    expect(page.locator(".offer")).to_have_count(1)
    page.get_by_role("link", name="1 × GH200 96 GB, Grace Hopper").first.click()
    assert page.locator("h1").inner_text() == "1 × GH200 96 GB, Grace Hopper"
    context.close()


def test_a_day_of_the_calendar_becomes_the_start(page, portal_url, stocked):
    page.goto(portal_url + "/catalog/a100-80-x8/")

    page.locator(".heat a").nth(6).click()

    assert page.get_by_label("Start", exact=False).first.input_value().endswith("T00:00")


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (360, "dark")])
def test_catalog_and_configuration_have_no_barrier_and_fit(page, portal_url, stocked, axe, fits, width, theme):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    for path in ("/", "/?q=nothing", "/catalog/a100-80-x8-pair/", "/catalog/v100-32-x16/", "/catalog/a100-40-3g/", "/catalog/a100x4-v100x8/"):
        page.goto(portal_url + path)
        axe(page)
        fits(page)
        assert page.locator("h1").count() == 1


def test_the_catalog_is_light(page, portal_url, stocked):
    """Files as they travel compressed: style sheets and scripts shrink to about a quarter; the page itself is measured as it comes."""
    import gzip

    sizes = {}
    page.on("response", lambda response: sizes.__setitem__(response.url, len(gzip.compress(response.body()))))
    page.goto(portal_url, wait_until="networkidle")

    assert sum(sizes.values()) < 250_000, sizes
