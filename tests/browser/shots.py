"""Pictures of every page: `python -m tests.browser.shots` against the running portal that PORTAL_BASE_URL names, with the log-ins of its demo in PORTAL_VAR.

First a customer books, pays and waits for his server, so that there is something to see; then each row of PAGES is opened by whom it is for, in English and
Chinese, light and dark, 1440 and 390 wide, into shots/<page>.<language>.<theme>.<width>.png. A page that fails, scrolls sideways or complains is told, and the
exit status is 1. `--only catalog` takes the pages whose name begins so; `--docs` writes the few of DOCS for the README into docs/images/.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.browser.conftest import CHROMIUM_ARGUMENTS

ROOT = Path(__file__).resolve().parents[2]
VISITOR, CUSTOMER, MANAGER, FINANCE, OPERATOR = "visitor", "customer", "account manager", "finance", "operator"
LANGUAGES, THEMES, WIDTHS = ("en", "zh-hans"), ("light", "dark"), (1440, 390)
READY_SECONDS = 180


@dataclass(frozen=True)
class Shot:
    """One page: `path`, or behind the first link that `follow` finds there. `after` waits for it to be drawn."""

    name: str
    path: str
    who: str = CUSTOMER
    follow: str = ""
    after: str = ""


PAGES = (
    Shot("catalog", "/", VISITOR),
    Shot("catalog-none", "/?q=nothing-like-this", VISITOR),
    Shot("catalog-mixed", "/?gpu=V100&sort=price", CUSTOMER),
    Shot("configuration", "/catalog/a100-80-x8/", CUSTOMER),
    Shot("configuration-elastic", "/catalog/a100x4-v100x8/", VISITOR),
    Shot("configuration-slice", "/catalog/a100-40-2g/", VISITOR),
    Shot("configuration-pair", "/catalog/a100-80-x8-pair/", VISITOR),
    Shot("configuration-sixteen", "/catalog/v100-32-x16/", VISITOR),
    Shot("configure", "/catalog/a100-80-x8/configure/", CUSTOMER),
    Shot("log-in", "/account/login/", VISITOR),
    Shot("sign-up", "/account/signup/", VISITOR),
    Shot("password-reset", "/account/password/reset/", VISITOR),
    Shot("terms", "/terms/", VISITOR),
    Shot("not-found", "/nothing-is-here/", VISITOR),
    Shot("components", "/demo/components/", VISITOR),
    Shot("home", "/home/", CUSTOMER),
    Shot("bookings", "/bookings/", CUSTOMER),
    Shot("booking", "/bookings/", CUSTOMER, follow="main table a"),
    Shot("live", "/bookings/", CUSTOMER, follow="main table a >> live", after=".u-wrap"),
    Shot("documents", "/billing/", CUSTOMER),
    Shot("document", "/billing/", CUSTOMER, follow="main table a"),
    Shot("profile", "/me/", CUSTOMER),
    Shot("keys", "/me/keys/", CUSTOMER),
    Shot("tokens", "/me/tokens/", CUSTOMER),
    Shot("notifications", "/me/notifications/", CUSTOMER),
    Shot("organisation-new", "/organisations/new/", CUSTOMER),
    Shot("api", "/api/", VISITOR),
    Shot("home-sales", "/home/", MANAGER),
    Shot("quotes", "/sales/", MANAGER),
    Shot("quote-new", "/sales/new/", MANAGER),
    Shot("home-finance", "/home/", FINANCE),
    Shot("finance", "/finance/", FINANCE),
    Shot("finance-document", "/finance/", FINANCE, follow="main table a"),
    Shot("home-operator", "/home/", OPERATOR),
    Shot("operate", "/operate/", OPERATOR),
    Shot("servers", "/operate/servers/", OPERATOR),
    Shot("server", "/operate/servers/fra1-09/", OPERATOR),
    Shot("server-new", "/operate/servers/new/", OPERATOR),
    Shot("deployments", "/operate/deployments/", OPERATOR),
)
DOCS = ("catalog", "configuration", "booking", "live", "document")


class Portal:
    """The running portal and who may log in."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.url = os.environ["PORTAL_BASE_URL"].rstrip("/")
        told = json.loads((Path(os.environ["PORTAL_VAR"]) / "demo.json").read_text())
        self.people = {person["who"]: person for person in told["people"]}
        self.sessions: dict[str, list] = {VISITOR: []}
        self.spoken: dict[str, str] = {}

    def session(self, who: str) -> list:
        """The cookies of this person, logged in once."""
        if who not in self.sessions:
            context = self.browser.new_context()
            page = context.new_page()
            page.goto(f"{self.url}/account/login/")
            page.locator("main input[type=email]").fill(self.people[who]["email"])
            page.locator("main input[type=password]").fill(self.people[who]["password"])
            page.locator("main form button[type=submit]").first.click()
            page.wait_for_url(lambda url: "/account/login/" not in url)
            self.sessions[who] = [cookie for cookie in context.cookies() if cookie["name"] == "sessionid"]
            context.close()
        return self.sessions[who]

    def speak(self, who: str, language: str) -> None:
        """Let this person's account read `language`: it goes before the cookie. A visitor has only the cookie."""
        if who == VISITOR or self.spoken.get(who) == language:
            return
        context = self.context(who)
        page = context.new_page()
        page.goto(f"{self.url}/terms/")
        with page.expect_navigation():
            page.locator(f"header button[name=language][value={language}]:visible").click()
        self.spoken[who] = language
        context.close()

    def context(self, who: str, language: str = "en", theme: str = "light", width: int = 1440) -> BrowserContext:
        height = 900 if width > 600 else 844
        context = self.browser.new_context(viewport={"width": width, "height": height}, timezone_id="Europe/Berlin", reduced_motion="reduce")
        cookies = {"django_language": language, "theme": theme, "tz": "Europe/Berlin"}
        context.add_cookies([*self.session(who), *({"name": name, "value": value, "url": self.url} for name, value in cookies.items())])
        return context


def rent_something(portal: Portal) -> None:
    """A customer books four A100 now, pays by the card that succeeds and waits until he may log in to his server."""
    context = portal.context(CUSTOMER)
    page = context.new_page()
    page.goto(f"{portal.url}/catalog/a100-40-x4/configure/")
    new_key = page.locator("#configure [name=new_key]")
    if new_key.count() and not page.locator("#configure [name=keys]").count():
        new_key.fill("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4m9uJ3xWnJx0m0oW2Yb0m6m6Y2f1v0b1k6k3X0y9d7 ada@laptop")
    page.locator("#configure button[type=submit]").last.click()
    page.wait_for_url("**/bookings/B-*/")
    booking = page.url
    page.locator("form[action$='/pay/'] button").click()
    page.wait_for_url("**/c/pay/**")
    page.locator("button[value='4242424242424242']").click()
    page.wait_for_url(f"{portal.url}/**")
    until = time.monotonic() + READY_SECONDS
    while "ssh " not in page.locator("#booking-servers").inner_text() if page.locator("#booking-servers").count() else True:
        if time.monotonic() > until:
            raise TimeoutError(f"the server was not ready within {READY_SECONDS} s")
        time.sleep(2)
        page.goto(booking)
    context.close()


def open_page(portal: Portal, page: Page, shot: Shot) -> None:
    page.goto(portal.url + shot.path, wait_until="networkidle" if not shot.after else "load")
    for selector in filter(None, shot.follow.split(" >> ")):
        if selector == "live":
            page.goto(page.url.replace("/bookings/", "/live/"))
        else:
            page.locator(selector).first.click()
            page.wait_for_load_state()
    if shot.after:
        page.locator(shot.after).first.wait_for(timeout=10_000)
        page.wait_for_timeout(1500)


def take(portal: Portal, shot: Shot, language: str, theme: str, width: int, target: Path, *, whole: bool = True) -> list[str]:
    """One picture. Returns what was wrong with the page."""
    portal.speak(shot.who, language)
    context = portal.context(shot.who, language, theme, width)
    page = context.new_page()
    page.set_default_timeout(10_000)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" and "status of 404" not in message.text else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        open_page(portal, page, shot)
        wide, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        if wide > room:
            wrong.append(f"{wide} px wide in a window of {room} px")
        target.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=target, full_page=whole)
    except Error as error:
        wrong.append(error.message.splitlines()[0])
    context.close()
    return wrong


def every(only: str, docs: bool) -> Iterator[tuple[Shot, str, str, int, Path]]:
    for shot in PAGES:
        if docs and shot.name in DOCS:
            yield shot, "en", "light", 1200, ROOT / "docs" / "images" / f"{shot.name}.png"
        elif not docs and shot.name.startswith(only):
            for language, theme, width in product(LANGUAGES, THEMES, WIDTHS):
                yield shot, language, theme, width, ROOT / "shots" / f"{shot.name}.{language}.{theme}.{width}.png"


def main() -> int:
    read = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    read.add_argument("--only", default="", help="pages whose name begins so")
    read.add_argument("--docs", action="store_true", help="the pictures of the README, into docs/images")
    read.add_argument("--as-it-is", action="store_true", help="rent nothing first")
    words = read.parse_args()
    failed = 0
    with sync_playwright() as playwright:
        executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
        portal = Portal(playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGUMENTS))
        if not words.as_it_is:
            rent_something(portal)
        for shot, language, theme, width, target in every(words.only, words.docs):
            wrong = take(portal, shot, language, theme, width, target, whole=not words.docs)
            failed += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok':<5}{target.relative_to(ROOT)}", *wrong, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
