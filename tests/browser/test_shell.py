"""The shell in a real browser: theme, language, keyboard, phones, barriers."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = ["/demo/components/", "/nothing-is-here/"]


@pytest.fixture(autouse=True)
def demo(settings):
    settings.DEMO = True


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_barrier_and_fits(page, portal_url, axe, fits, path, width, theme):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(portal_url + path)

    axe(page)
    fits(page)
    assert page.locator("h1").count() == 1


def test_the_theme_changes_without_a_reload_and_stays(page, portal_url):
    page.goto(portal_url + "/demo/components/")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.get_by_role("button", name="Dark").click()

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    page.reload()
    assert page.locator("html").get_attribute("data-bs-theme") == "dark"


def test_theme_and_language_work_without_a_script(browser, portal_url):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(portal_url + "/demo/components/")

    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="中文").click()

    assert page.locator("html").get_attribute("data-bs-theme") == "dark"
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.locator("h1").inner_text() == "组件"
    context.close()


def test_the_first_tab_leads_to_the_content(page, portal_url):
    page.goto(portal_url + "/demo/components/")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "content"


def test_the_phone_menu_opens_and_escape_closes_it(page, portal_url):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(portal_url + "/demo/components/")

    page.locator("details.menu > summary").click()
    assert page.get_by_role("link", name="Catalog", exact=True).is_visible()
    page.keyboard.press("Escape")

    assert not page.get_by_role("link", name="Catalog", exact=True).is_visible()


def test_the_zone_of_the_browser_is_told_to_the_server(page, portal_url):
    page.goto(portal_url + "/demo/components/")
    page.reload()

    assert page.get_by_text("Times in Europe/Berlin").is_visible()


def test_a_countdown_counts_down(page, portal_url):
    page.goto(portal_url + "/demo/components/")

    expect(page.locator("[data-countdown]")).to_have_text(re.compile("14.min"), timeout=5000)
