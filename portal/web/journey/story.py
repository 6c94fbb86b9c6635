"""The product's main job as people live it: browse, book, pay, watch, be invoiced, hand back. Over HTTP and websockets only; nothing is read from the
database, and no step trusts what it did not see on a page, in a file or in a mail."""

from __future__ import annotations

import base64
import json
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from websockets.exceptions import WebSocketException

from portal.web.demo import people
from portal.web.journey import expected, pages
from portal.web.journey.visitor import NotAsExpected, Visitor

SKU, CURRENCY, HOURS = "a100-80-x8", "EUR", 3
CARDS = {"good": "4242424242424242", "declined": "4000000000000002", "secure": "4000002760003184"}
PASSWORD = secrets.token_urlsafe(12)


def public_key() -> str:
    """A well-formed ED25519 public key nobody has the other half of."""
    body = b"".join(len(part).to_bytes(4, "big") + part for part in (b"ssh-ed25519", secrets.token_bytes(32)))
    return f"ssh-ed25519 {base64.b64encode(body).decode()} journey@laptop"


def found_in(text: str, pattern: str) -> str:
    """What the group of `pattern` holds. Raises NotAsExpected when it is not there."""
    found = re.search(pattern, text)
    if not found:
        raise NotAsExpected(f"nothing like {pattern} in: {text[:400]}")
    return found.group(1)


@dataclass
class Story:
    """Facts gathered on the way. `patience` as in Visitor."""

    base: str
    patience: float = 0
    booking: str = ""
    agreement: str = ""
    invoice: str = ""
    credit_note: str = ""
    facts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.email = f"grace-{secrets.token_hex(4)}@journey.example"
        self.grace = self.visitor()

    def visitor(self) -> Visitor:
        return Visitor(self.base, patience=self.patience)

    def staff(self, role: str) -> Visitor:
        """One of our own people, logged in."""
        person = next(person for person in people.STAFF if person.role == role)
        visitor = self.visitor()
        visitor.log_in(person.email, person.password)
        return visitor

    # 1 and 2: the catalog, logged out

    def browse(self) -> str:
        page = self.grace.get("/")
        found = {address.split("/")[2] for address, _text in page.links if re.fullmatch(r"/catalog/[a-z0-9-]+/", address)}
        if len(found) < 10:
            raise NotAsExpected(f"the catalog shows {len(found)} configurations")
        filtered = self.grace.get("/?gpu=T4")
        fewer = {address for address, _text in filtered.links if re.fullmatch(r"/catalog/[a-z0-9-]+/", address)}
        if not 0 < len(fewer) < len(found):
            raise NotAsExpected("the filter for T4 changes nothing")
        return f"{len(found)} configurations on the first page, {len(fewer)} with T4"

    def look_closer(self) -> str:
        page = self.grace.get(f"/catalog/{SKU}/")
        for sign in ("<svg", "A100", str(expected.rate(sku=SKU, currency="USD"))):
            if sign not in page.html:
                raise NotAsExpected(f"the configuration's page does not show {sign}")
        return "facts, drawing, price list, calendar"

    # 3: sign up, hold, pay

    def sign_up(self) -> str:
        page = self.grace.get("/account/signup/")
        self.grace.submit(page, "signup", name="Grace", email=self.email, password1=PASSWORD, password2=PASSWORD)
        link = self.mailed("confirm", r"https?://\S+/account/confirm-email/\S+")
        self.grace.submit(self.grace.get(link), "confirm-email")
        self.grace.log_in(self.email, PASSWORD)
        page = self.grace.get("/organisations/new/")
        address: dict[str, Any] = {"street": "Hopperweg 9", "postal_code": "10115", "city": "Berlin", "country": "DE", "tax_id": "DE136695976"}
        names: dict[str, Any] = {"name": "Hopper Compilers", "legal_name": "Hopper Compilers GmbH", "billing_email": self.email}
        self.grace.submit(page, asking="legal_name", **names, **address, currency=CURRENCY, is_business="on", time_zone="Europe/Berlin")
        self.facts["organisation"] = self.organisation()
        return f"{self.email} confirmed by mail, {self.facts['organisation']} founded"

    def organisation(self) -> str:
        page = self.grace.get("/home/")
        found = re.search(r"/organisations/(O-\d+)/", page.html)
        if not found:
            raise NotAsExpected("no organisation in the frame of the page")
        return found.group(1)

    def price(self) -> str:
        page = self.grace.get(f"/catalog/{SKU}/configure/")
        form = page.form("/hold/")
        wish = form.filled({"length": HOURS, "unit": "hours", "quantity": 1})
        headers = {"HX-Request": "true", "Referer": page.url, "Origin": self.base}
        answer = self.grace.http.post(f"/catalog/{SKU}/configure/", data=wish, headers=headers)
        wanted = expected.cost(sku=SKU, currency=CURRENCY, hours=HOURS)
        self.must_show(answer.text, wanted.gross, "the price")
        if "<html" in answer.text:
            raise NotAsExpected("htmx got a whole page instead of the price")
        return f"{HOURS} h: {wanted.net} net, {wanted.tax} tax, {wanted.gross} {CURRENCY} without a reload"

    def hold(self) -> str:
        page = self.grace.get(f"/catalog/{SKU}/configure/")
        wish: dict[str, Any] = {"length": HOURS, "unit": "hours", "quantity": 1, "new_key": public_key(), "terms": "on", "start": ""}
        page = self.grace.submit(page, "/hold/", **wish)
        found = re.search(r"/bookings/(B-\d+)/", page.url)
        if not found or "data-countdown" not in page.html:
            raise NotAsExpected(f"no hold with a countdown: {page.text[:400]}")
        self.booking = found.group(1)
        self.agreement = found_in(page.html, r"/billing/agreements/(A-\d+)/pay/")
        return f"{self.booking} held with a countdown"

    def pay_badly(self) -> str:
        page = self.checkout()
        declined = self.grace.submit(page, "/c/pay/", card=CARDS["declined"])
        if "declined" not in declined.text.lower():
            raise NotAsExpected(f"a declined card says: {declined.text[:200]}")
        back = self.grace.get(declined.link("/return/"))
        if "held" not in self.grace.get(f"/bookings/{self.booking}/").text:
            raise NotAsExpected("an abandoned checkout ended the hold")
        page = self.checkout()
        challenge = self.grace.submit(page, "/c/pay/", card=CARDS["secure"])
        self.grace.submit(challenge, "/3ds/", answer="fail")
        return f"declined, abandoned ({back.status}), 3-D Secure failed: still held"

    def pay(self) -> str:
        challenge = self.grace.submit(self.checkout(), "/c/pay/", card=CARDS["secure"])
        self.grace.submit(challenge, "/3ds/", answer="authenticate")
        self.grace.until("the payment to settle", lambda: "Paid" in self.grace.get(self.return_address()).text or None, seconds=90)
        self.state("confirmed", "preparing", "active", seconds=60)
        return "3-D Secure confirmed, Booking confirmed"

    def checkout(self):
        page = self.grace.get(f"/bookings/{self.booking}/")
        return self.grace.submit(page, f"/billing/agreements/{self.agreement}/pay/")

    def return_address(self) -> str:
        return f"/billing/agreements/{self.agreement}/return/"

    # 4 and 5: provisioned, watched

    def provisioned(self) -> str:
        begun = time.monotonic()
        hints = self.pushes()
        self.state("active", seconds=240)
        page = self.grace.get(f"/bookings/{self.booking}/")
        command = re.search(r"ssh \S+@\S+", page.text)
        if not command:
            raise NotAsExpected("an active Booking shows no SSH command")
        if not hints and not self.patience:
            raise NotAsExpected("no step was pushed")
        return f"ready after {time.monotonic() - begun:.0f} s, {hints} pushes, {command.group(0)}"

    def pushes(self) -> int:
        """Listen to the Booking's socket until it is active; how many hints came. A person whose socket breaks reloads the page."""
        hints, end = 0, time.monotonic() + 240
        try:
            with self.grace.socket(f"/ws/bookings/{self.booking}/") as socket:
                while not self.words_of_state().startswith("active") and time.monotonic() < end:
                    hints += self.heard(socket)
        except (OSError, WebSocketException):
            if not self.patience:
                raise
        return hints

    @staticmethod
    def heard(socket: Any) -> int:
        """1 when a hint came within a second."""
        try:
            return int("hint" in json.loads(socket.recv(timeout=1)))
        except TimeoutError:
            return 0

    def watched(self) -> str:
        page = self.grace.get(f"/live/{self.booking}/")
        if page.html.count("GPU") < 8:
            raise NotAsExpected("the live page does not show 8 GPUs")
        messages: list[dict] = []
        begun = time.monotonic()
        with self.grace.socket(f"/ws/live/{self.booking}/") as socket:
            while len(messages) < 5:
                messages.append(json.loads(socket.recv(timeout=20)))
        seconds = time.monotonic() - begun
        history = self.grace.fetch(f"/live/{self.booking}/history/").json()
        if not history:
            raise NotAsExpected("no history is drawn when the page opens")
        return f"5 messages in {seconds:.1f} s, history of the last minutes is there"

    # 6: invoice, early end, credit note, refund

    def invoiced(self) -> str:
        wanted = expected.cost(sku=SKU, currency=CURRENCY, hours=HOURS)
        page = self.grace.until("the invoice", lambda: self.documents("invoice"), seconds=60)
        self.invoice = page
        shown = self.grace.get(f"/billing/documents/{self.invoice}/")
        self.must_show(shown.html, wanted.gross, "the invoice")
        for form, sign in (("pdf", b"%PDF"), ("csv", b""), ("xlsx", b"PK")):
            answer = self.grace.fetch(f"/billing/documents/{self.invoice}/{form}/")
            if answer.status_code != 200 or not answer.content.startswith(sign):
                raise NotAsExpected(f"the invoice as {form} answers {answer.status_code}")
        self.facts["expected"] = self.facts["got"] = f"{wanted.gross} {CURRENCY}"
        return f"{self.invoice}: expected {wanted.gross} {CURRENCY}, got {self.total_of(shown.html, wanted.gross)}; PDF, CSV and XLSX"

    def ended(self) -> str:
        page = self.grace.get(f"/bookings/{self.booking}/")
        self.grace.submit(page, f"/bookings/{self.booking}/end/")
        self.state("ended", seconds=180)
        return "handed back"

    def credited(self) -> str:
        back = expected.cost(sku=SKU, currency=CURRENCY, hours=HOURS) - expected.cost(sku=SKU, currency=CURRENCY, hours=1)
        self.credit_note = self.grace.until("the credit note", lambda: self.documents("credit"), seconds=60)
        shown = self.grace.get(f"/billing/documents/{self.credit_note}/")
        self.must_show(shown.html, back.gross, "the credit note")
        finance = self.staff("finance")
        finance.until("the refund at the gateway", lambda: "refunded" in finance.get(f"/finance/documents/{self.invoice}/").text.lower() or None, seconds=90)
        return f"{self.credit_note}: expected {back.gross} {CURRENCY} back (the first hour is the minimum), got it; refund sent"

    def documents(self, kind: str) -> str | None:
        """The number of the first Document of this kind in the customer's list."""
        page = self.grace.get("/billing/")
        for row in re.findall(r"<tr.*?</tr>", page.html, flags=re.S):
            found = re.search(r"/billing/documents/([^/\"]+)/", row)
            if found and kind in re.sub(r"<[^>]+>", " ", row).lower():
                return found.group(1)
        return None

    def clean_again(self) -> str:
        operator = self.staff("operator")
        serial = self.facts.get("server") or self.server_of(operator)
        operator.until(f"{serial} to be wiped and available", lambda: self.server_state(operator, serial) == "available" or None, seconds=240)
        return f"{serial} wiped with evidence and available"

    def server_of(self, operator: Visitor) -> str:
        page = self.grace.get(f"/bookings/{self.booking}/")
        found = re.search(r"\b([a-z]{3}\d-\d\d)\b", page.text)
        if not found:
            raise NotAsExpected("the Booking does not say which Server it had")
        return found.group(1)

    def server_state(self, operator: Visitor, serial: str) -> str:
        page = operator.get(f"/operate/servers/{serial}/")
        found = re.search(r"class=\"state state-[a-z]+\">.*?<span>([^<]+)</span>", page.html, flags=re.S)
        return found.group(1).strip() if found else ""

    def finance(self) -> str:
        finance = self.staff("finance")
        page = finance.get(f"/finance/?text={self.invoice}")
        if self.invoice not in page.text:
            raise NotAsExpected("finance does not find the invoice by its number")
        table = finance.fetch("/finance/tables/documents/csv/")
        numbers = [line for line in table.text.splitlines() if self.invoice in line or self.credit_note in line]
        if len(numbers) < 2:
            raise NotAsExpected("the CSV of documents lacks the invoice or the credit note")
        if not finance.fetch("/finance/tables/lines/xlsx/").content.startswith(b"PK"):
            raise NotAsExpected("the XLSX of lines is none")
        return "found, filtered, opened, exported"

    def offered(self) -> str:
        manager = self.staff("account_manager")
        day = time.time() + 3 * 86400
        local = time.strftime("%Y-%m-%dT%H:00", time.gmtime(day))
        head: dict[str, Any] = {"organisation": self.facts["organisation"], "title": "Pilot week", "valid_until": local}
        page = manager.submit(manager.get("/sales/new/"), asking="organisation", **head)
        number = found_in(page.url, r"/sales/(Q-\d+)/")
        page = manager.submit(page, f"/sales/{number}/lines/", configuration="t4-x4", quantity=1, start=local, hours=24, discount_percent=10)
        page = manager.submit(page, f"/sales/{number}/send/")
        secret = found_in(page.html, r"(/offer/[^\s\"<]+/)")
        if not self.grace.fetch(f"{secret}pdf/").content.startswith(b"%PDF"):
            raise NotAsExpected("the offer has no PDF")
        accepted = self.grace.submit(self.grace.get(secret), "/accept/", name="Grace", role="CEO", terms="on")
        booking = re.search(r"/bookings/(B-\d+)/", accepted.html)
        if not booking:
            raise NotAsExpected(f"accepting {number} made no Booking: {accepted.text[:300]}")
        self.booking = booking.group(1)
        page = self.grace.get(f"/bookings/{self.booking}/")
        self.agreement = found_in(page.html, r"/billing/agreements/(A-\d+)/pay/")
        self.grace.submit(self.checkout(), "/c/pay/", card=CARDS["good"])
        self.state("confirmed", seconds=90)
        net = (expected.rate(sku="t4-x4", currency=CURRENCY) * 24 * Decimal("0.9")).quantize(expected.CENT)
        self.must_show(self.grace.get(f"/bookings/{self.booking}/").html, net, "the quoted price")
        return f"{number} accepted, {self.booking} confirmed for later at the quoted {net} {CURRENCY} net"

    def operated(self) -> str:
        operator = self.staff("operator")
        serial, retire = f"new-{secrets.token_hex(3)}", "/retire/"
        page = operator.get("/operate/servers/new/")
        operator.submit(page, asking="serial", serial=serial, rack="R9", model="dgx-a100-80", site="fra1", fabric="fra1-ib")
        operator.until(f"{serial} to be checked", lambda: self.server_state(operator, serial) == "available" or None, seconds=120)
        operator.submit(operator.get(f"/operate/servers/{serial}/"), retire, typed=serial, reason="journey")
        operator.until(f"{serial} to be retired", lambda: self.server_state(operator, serial) == "retired" or None, seconds=30)
        return f"{serial} added by hand, checked, for sale and retired"

    def mailed_all(self) -> str:
        wanted = ("confirmed", "ready", "ended", "invoice")
        self.grace.until("mails for confirmed, ready, ended and invoice", lambda: all(self.mails_with(word) for word in wanted) or None, seconds=60)
        return ", ".join(wanted)

    # what the steps share

    def words_of_state(self) -> str:
        """The Booking's status line, fetched as the page's script fetches it."""
        answer = self.grace.fetch(f"/bookings/{self.booking}/status/", **{"HX-Request": "true"})
        return pages.read(str(answer.url), answer.status_code, answer.text).text

    def state(self, *wanted: str, seconds: float) -> None:
        """Wait until the Booking is in one of these states, as its page says."""

        def look() -> bool | None:
            text = self.words_of_state()
            if text.startswith("failed"):
                raise NotAsExpected(f"{self.booking} failed: {text[:300]}")
            return any(text.startswith(word) for word in wanted) or None

        self.grace.until(f"{self.booking} to be {' or '.join(wanted)}", look, seconds=seconds)

    def mails_with(self, word: str) -> list[str]:
        """Addresses of the demo's mails to Grace whose subject holds `word`."""
        page = self.visitor().get("/demo/mail/")
        rows = re.findall(r"<tr.*?</tr>", page.html, flags=re.S)
        return [found_in(row, r"href=\"([^\"]+)\"") for row in rows if self.email in row and word in row.lower()]

    def mailed(self, word: str, pattern: str) -> str:
        """What `pattern` finds in the newest mail to Grace with `word` in its subject."""
        address = self.grace.until(f"a mail with {word!r}", lambda: self.mails_with(word) or None, seconds=60)[0]
        found = re.search(pattern, self.visitor().get(address).text)
        if not found:
            raise NotAsExpected(f"the mail {address} holds no link")
        return found.group(0)

    def must_show(self, html: str, amount: Decimal, where: str) -> None:
        if f"{amount:,}" not in html:
            raise NotAsExpected(f"{where} does not show {amount:,} {CURRENCY}")

    def total_of(self, html: str, amount: Decimal) -> str:
        """The amount as the page writes it, with its currency."""
        found = re.search(re.escape(f"{amount:,}") + r"[^A-Z]{0,60}[A-Z]{3}", html)
        return re.sub(r"(?:<[^>]+>|\s|&[a-z]+;)+", " ", found.group(0)).strip() if found else "nothing"

    def steps(self) -> list[tuple[str, Callable[[], str]]]:
        """The story in order."""
        return [
            ("Browse the catalog, logged out", self.browse),
            ("Look at a configuration", self.look_closer),
            ("Sign up, confirm by mail, found an organisation", self.sign_up),
            ("See the price change", self.price),
            ("Hold the server", self.hold),
            ("Card declined, checkout abandoned, 3-D Secure failed", self.pay_badly),
            ("Pay", self.pay),
            ("Be provisioned", self.provisioned),
            ("Watch it live", self.watched),
            ("Be invoiced", self.invoiced),
            ("End early", self.ended),
            ("Get the rest back", self.credited),
            ("Server wiped and for sale again", self.clean_again),
            ("Finance finds and exports", self.finance),
            ("A quote becomes a Booking", self.offered),
            ("The operator adds and retires a server", self.operated),
            ("Mails went out", self.mailed_all),
        ]
