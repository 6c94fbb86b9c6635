"""Paying in a real browser: from the pay button over the hosted checkout back to the portal, with and without a script, without barriers, on a phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from billing.models import Agreement, Document, Payment
from billing.services import agreements
from tests import world
from tests.billing.conftest import Till
from tests.contracts.stand_in import KEY, SECRET, StandIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    stand_in = StandIn(tmp_path_factory.mktemp("stripe")).start()
    yield stand_in
    stand_in.stop()


@pytest.fixture
def till(transactional_db, now, stand_in, portal_url, settings) -> Till:
    """Lovelace Labs with an order to pay; the portal speaks to the stand-in."""
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE, settings.STRIPE_WEBHOOK_SECRETS = KEY, stand_in.url, [SECRET]
    settings.BASE_URL = portal_url
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {**policy, "form-action": [*policy["form-action"], stand_in.url]}}
    cast = world.cast(now)
    till = Till(cast, world.racks(now), now)
    till.number = till.order()
    return till


def back(portal_url: str, till: Till) -> str:
    return portal_url + reverse("billing:agreement-return", args=[till.number])


def test_from_the_pay_button_to_the_confirmed_booking(page, portal_url, log_in, till):
    log_in(till.cast.ada)
    page.goto(back(portal_url, till))

    page.get_by_role("button", name="Pay").click()
    expect(page.get_by_text("No real money moves.")).to_be_visible()
    page.get_by_role("button", name="Pays at once").click()

    expect(page).to_have_url(back(portal_url, till))
    expect(page.get_by_role("heading", name="Paid", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=Document.objects.get().number)).to_be_visible()
    assert Agreement.objects.get().state == "open"


def test_a_decline_a_challenge_and_the_way_back_without_paying(page, portal_url, log_in, till):
    log_in(till.cast.ada)
    page.goto(back(portal_url, till))
    page.get_by_role("button", name="Pay").click()

    page.get_by_role("button", name="Is declined").click()
    expect(page.get_by_role("alert")).to_contain_text("The bank declined it.")
    page.get_by_role("button", name="Asks you to confirm").click()
    page.get_by_role("button", name="Refuse").click()
    expect(page.get_by_role("alert")).to_contain_text("could not confirm that it was you")
    page.get_by_role("link", name="Back without paying").click()
    expect(page.get_by_role("heading", name="The card did not pay")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Asks you to confirm").click()
    page.get_by_role("button", name="Confirm the payment").click()

    expect(page.get_by_role("heading", name="Paid", exact=True)).to_be_visible()
    assert Payment.objects.get().captured_minor == Agreement.objects.get().gross_minor


def test_paying_needs_no_script(browser, portal_url, till, client):
    client.force_login(till.cast.ada)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])
    page = context.new_page()
    page.goto(back(portal_url, till))

    page.get_by_role("button", name="Pay").click()
    page.get_by_role("button", name="Pays at once").click()

    assert page.url == back(portal_url, till)
    assert "Your booking is confirmed." in page.content()
    context.close()


def test_a_payment_that_is_processing_turns_into_paid_while_the_customer_watches(page, portal_url, log_in, till, stand_in):
    log_in(till.cast.ada)
    page.goto(back(portal_url, till))
    stand_in.next("process")
    page.get_by_role("button", name="Pay").click()
    page.get_by_role("button", name="Pays at once").click()
    expect(page.get_by_role("heading", name="The payment is being processed")).to_be_visible()

    stand_in.control(f"payment_intents/{intent_of(stand_in)}", status="succeeded")

    expect(page.get_by_role("heading", name="Paid", exact=True)).to_be_visible(timeout=15_000)


def intent_of(stand_in: StandIn) -> str:
    from billing.models import PaymentAttempt
    from billing.services import gateway

    return gateway.current().checkout(id=PaymentAttempt.objects.get().gateway_session).intent.id


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 360])
def test_the_hosted_checkout_has_no_barrier_and_fits(page, portal_url, log_in, till, axe, fits, width, scheme):
    log_in(till.cast.ada)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(back(portal_url, till))
    page.get_by_role("button", name="Pay").click()
    page.get_by_role("button", name="Has no funds").click()

    axe_of_a_strict_page(page, axe)
    fits(page)
    page.get_by_role("button", name="Asks you to confirm").click()
    axe_of_a_strict_page(page, axe)
    fits(page)


def axe_of_a_strict_page(page, axe) -> None:
    """The hosted page permits no script at all; what axe looks at is the same page without its policy."""
    content, address = page.content(), page.url
    bare = page.context.browser.new_context(color_scheme="dark" if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light").new_page()
    bare.route("**/looked-at", lambda route: route.fulfill(body=content, content_type="text/html"))
    bare.goto("/".join(address.split("/")[:3]) + "/looked-at")
    axe(bare)
    bare.context.close()


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("stage", ["unpaid", "declined", "processing", "paid", "lapsed", "too late"])
def test_the_return_page_has_no_barrier_and_fits_at_every_stage(page, portal_url, log_in, till, stand_in, axe, fits, stage, width):
    log_in(till.cast.ada)
    page.set_viewport_size({"width": width, "height": 900})
    reach(till, stand_in, stage)

    page.goto(back(portal_url, till))

    axe(page)
    fits(page)
    assert page.locator("h1").count() == 1


def reach(till: Till, stand_in: StandIn, stage: str) -> None:
    from django.utils import timezone

    from billing.services import payments

    address = payments.start_checkout(
        agreement=till.number, by=till.cast.ada, success_url="http://127.0.0.1:1/", cancel_url="http://127.0.0.1:1/", now=timezone.now()
    )
    session = address.rsplit("/", 1)[1]
    if stage in ("lapsed", "too late"):
        agreements.lapse(number=till.number, now=timezone.now())
    if stage == "processing":
        stand_in.next("process")
    if stage in ("processing", "paid", "too late"):
        stand_in.pay(session)
    if stage == "declined":
        stand_in.pay(session, "4000000000000002")


@pytest.mark.parametrize("width", [1440, 360])
def test_finances_pages_of_a_payment_have_no_barrier_and_fit(page, portal_url, log_in, till, stand_in, axe, fits, width):
    log_in(till.cast.fin)
    page.set_viewport_size({"width": width, "height": 900})
    reach(till, stand_in, "paid")
    page.goto(back(portal_url, till))
    payment = Payment.objects.get().number

    page.goto(portal_url + reverse("billing:payment", args=[payment]))
    axe(page)
    fits(page)
    page.goto(portal_url + reverse("billing:payment-refund", args=[payment]))
    page.get_by_label("Amount").fill("50")
    page.get_by_label("Reason").fill("Goodwill")
    page.get_by_role("button", name="Show what this will do").click()
    expect(page.get_by_text("will count as unpaid by that much")).to_be_visible()
    axe(page)
    fits(page)
    page.get_by_role("button", name="Refund").click()

    expect(page.get_by_text("Goodwill")).to_be_visible()
