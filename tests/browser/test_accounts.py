"""Accounts in a real browser: a newcomer's way in, the pages about oneself and one's organisation, on wide screens and phones, light and dark."""

import pytest
from django.core import mail
from django.utils import timezone
from playwright.sync_api import expect

from portal.accounts.domain import scopes
from portal.accounts.services import invitations, letters, notifications, organisations, projects, ssh_keys, tokens
from portal.toolkit import mailbox
from tests import world
from tests.accounts import public_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS = [("light", 1440), ("dark", 360)]
ENTRANCE = ["/account/login/", "/account/signup/", "/account/password/reset/", "/account/confirm-email/", "/terms/", "/api/", "/demo/mail/"]
OWN = [
    "/home/",
    "/me/",
    "/me/keys/",
    "/me/tokens/",
    "/me/notifications/",
    "/account/email/",
    "/account/password/change/",
    "/account/2fa/",
    "/organisations/new/",
]
OF_ORGANISATION = ["", "members/", "projects/", "limits/", "audit/"]


@pytest.fixture(autouse=True)
def demo(settings, tmp_path):
    settings.DEMO = True
    settings.EMAIL_FILE_PATH = tmp_path
    settings.EMAIL_BACKEND = "portal.toolkit.mailbox.Backend"


@pytest.fixture
def lived_in(cast):
    """Lovelace Labs with something on every page."""
    now, ada = timezone.now(), cast.ada
    ssh_keys.add(user=ada, name="", text=public_keys.ED25519[0], by=ada, now=now)
    tokens.create(user=ada, organisation=cast.lab, name="ci", scopes=[scopes.BOOKINGS_READ], expires_at=None, by=ada, now=now)
    projects.add(organisation=cast.lab, name="Vision", cost_centre="4711", by=ada, now=now)
    invitations.invite(organisation=cast.lab, email="grace@example.com", role="reader", by=ada, now=now)
    notifications.notify(users=[ada], kind="account", key="k", subject="B-1", path="/me/", now=now, organisation=cast.lab)
    return cast


def look(page, portal_url, axe, fits, paths, theme, width) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    for path in paths:
        page.goto(portal_url + path)
        axe(page)
        fits(page)
        assert page.locator("h1").count() == 1, path


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_the_way_in_has_no_barrier(page, portal_url, axe, fits, theme, width):
    look(page, portal_url, axe, fits, ENTRANCE, theme, width)


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_pages_about_oneself_and_ones_organisation_have_no_barrier(page, portal_url, axe, fits, log_in, lived_in, theme, width):
    log_in(lived_in.ada)

    look(page, portal_url, axe, fits, [*OWN, *(lived_in.lab.path + end for end in OF_ORGANISATION)], theme, width)


@pytest.mark.parametrize("script", [True, False], ids=["with a script", "without a script"])
def test_a_newcomer_signs_up_by_the_mailed_link_and_founds_his_organisation(browser, portal_url, script):
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(f"{portal_url}/account/signup/")
    for label, text in (("Your name", "Grace"), ("E-mail", "grace@example.com"), ("Password", world.PASSWORD), ("Password (again)", world.PASSWORD)):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    letters.sweep(now=timezone.now())

    page.get_by_role("link", name="Open the mails of this demo").click()
    page.get_by_role("link", name="Confirm your e-mail address").click()
    page.get_by_role("main").get_by_role("link", name="/account/confirm-email/").click()
    page.get_by_role("button", name="Yes, confirm it").click()
    page.get_by_role("link", name="Create organisation").click()
    page.get_by_label("Name", exact=True).fill("Hopper Labs")
    page.get_by_label("Country").select_option("DE")
    page.get_by_role("button", name="Create organisation").click()

    expect(page.get_by_role("main")).to_contain_text("Hopper Labs")
    context.close()


def test_a_token_is_made_and_shown_once(page, portal_url, log_in, cast):
    log_in(cast.ada)
    page.goto(f"{portal_url}/me/tokens/")

    page.get_by_label("Name").fill("ci")
    page.get_by_label("read bookings").check()
    page.get_by_role("button", name="Make token").click()

    expect(page.locator("#secret")).to_contain_text("gpr_")
    page.goto(f"{portal_url}/me/tokens/")
    assert page.locator("#secret").count() == 0


def test_the_audit_log_is_filtered_in_place(page, portal_url, log_in, lived_in):
    log_in(lived_in.ada)
    page.goto(f"{portal_url}{lived_in.lab.path}audit/")

    page.get_by_label("What").select_option("project.")

    expect(page.locator("#audit-entries tbody tr")).to_have_count(1)
    assert "verb=project." in page.url


def test_an_organisation_is_chosen_in_the_menu(page, portal_url, log_in, cast, now):
    organisations.found(by=cast.ada, now=now, name="Second", country="DE")
    log_in(cast.ada)
    page.goto(f"{portal_url}/home/")

    page.locator("summary", has_text="Ada").click()
    page.get_by_role("button", name="Work in Lovelace Labs").click()

    expect(page.get_by_role("main")).to_contain_text("Lovelace Labs")


def test_a_mail_in_the_demo_box_is_safe_to_look_at(page, portal_url):
    mail.EmailMessage("<b>Bold</b>", "<script>alert(1)</script>", to=["a@example.com"], connection=mailbox.Backend()).send()

    page.goto(f"{portal_url}/demo/mail/")
    page.get_by_role("link", name="<b>Bold</b>").click()

    expect(page.locator(".letter")).to_have_text("<script>alert(1)</script>")
