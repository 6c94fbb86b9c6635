"""Invoices and finance's desk in a real browser: barriers, phones, filters without a reload and without a script."""

from datetime import timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from billing.models import Document
from tests import world
from tests.billing.conftest import Till

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lab(transactional_db, now):
    """Lovelace Labs after a rental that ended early."""
    cast = world.cast(now)
    till = Till(cast, world.racks(now), now)
    number = till.buy()
    till.serve(number, timedelta(0), timedelta(hours=24))
    till.end(number)
    return cast


def paths(name: str) -> str:
    number = Document.objects.get(kind="credit_note" if name.endswith("note") else "invoice").number
    return {
        "documents": reverse("billing:documents"),
        "document": reverse("billing:document", args=[number]),
        "note": reverse("billing:document", args=[number]),
        "finance": reverse("billing:finance"),
        "finance_document": reverse("billing:finance-document", args=[number]),
        "finance_credit": reverse("billing:finance-credit", args=[number]),
    }[name]


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("name", ["documents", "document", "note", "finance", "finance_document", "finance_credit"])
def test_a_page_has_no_barrier_and_fits(page, portal_url, log_in, lab, axe, fits, name, width):
    log_in(lab.fin if name.startswith("finance") else lab.ada)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(portal_url + paths(name))

    axe(page)
    fits(page)
    assert page.locator("h1").count() == 1


def test_finance_filters_without_a_reload_and_the_address_remembers(page, portal_url, log_in, lab):
    log_in(lab.fin)
    page.goto(portal_url + paths("finance"))
    page.evaluate("window.same = true")

    page.get_by_label("Kind").select_option("credit_note")

    expect(page.locator("#finance-documents tbody tr")).to_have_count(1)
    assert page.evaluate("window.same")
    page.reload()
    expect(page.locator("#finance-documents tbody tr")).to_have_count(1)
    assert "kind=credit_note" in page.locator("a", has_text="Documents, CSV").get_attribute("href")


def test_finance_filters_without_a_script_too(browser, portal_url, log_in, lab, client):
    client.force_login(lab.fin)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])
    page = context.new_page()
    page.goto(portal_url + paths("finance"))

    page.get_by_label("Kind").select_option("invoice")
    page.get_by_role("button", name="Show").click()

    assert page.locator("#finance-documents tbody tr").count() == 1
    context.close()


def test_an_invoice_downloads_as_pdf(page, portal_url, log_in, lab):
    log_in(lab.ada)
    page.goto(portal_url + paths("document"))

    with page.expect_download() as download:
        page.get_by_role("link", name="PDF").click()

    assert download.value.suggested_filename == Document.objects.get(kind="invoice").number + ".pdf"
