"""One person at the portal: a cookie jar, forms filled as a browser without JavaScript would, sockets with the same cookies."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar
from urllib.parse import urljoin

import httpx
from websockets.sync import client as websockets
from websockets.typing import Origin

from portal.web.journey import pages

Found = TypeVar("Found")


class NotAsExpected(Exception):
    """The portal did something else than the story says."""


class Visitor:
    """`patience` is how many seconds a portal that does not answer is asked again: in an accident a person reloads the page."""

    def __init__(self, base: str, *, patience: float = 0) -> None:
        self.base, self.patience = base, patience
        self.http = httpx.Client(base_url=base, follow_redirects=True, timeout=30, headers={"Accept-Language": "en"})

    def get(self, address: str, *, expect: int = 200) -> pages.Page:
        """Open a page. Raises NotAsExpected for another status."""
        return self._page(self._ask(lambda: self.http.get(address)), expect)

    def fetch(self, address: str, **headers: str) -> httpx.Response:
        """The raw answer, for files and for programs."""
        return self._ask(lambda: self.http.get(address, headers=headers))

    def submit(self, page: pages.Page, action: str = "", *, asking: str = "", expect: int = 200, **values: object) -> pages.Page:
        """Fill the form that leads to `action` (and asks for `asking`) and send it, from the origin of its page. Sent again only when nothing answered."""
        form = page.form(action, asking=asking)
        address = urljoin(page.url, form.action or page.url)
        typed = form.filled(values)
        headers = {"Referer": page.url, "Origin": "/".join(page.url.split("/")[:3])}
        if form.method == "get":
            return self._page(self._ask(lambda: self.http.get(address, params=typed, headers=headers)), expect)
        return self._page(self._ask(lambda: self.http.post(address, data=typed, headers=headers)), expect)

    def log_in(self, email: str, password: str) -> pages.Page:
        """By the log-in page, unless he is in. Raises NotAsExpected when it does not let him in."""
        page = self.get("/account/login/")
        if "/account/login" in page.url:
            page = self.submit(page, "login", login=email, password=password)
        if "/account/login" in page.url:
            raise NotAsExpected(f"{email} could not log in: {page.text[:300]}")
        return page

    def socket(self, path: str) -> AbstractContextManager[Any]:
        """A websocket with this person's cookies."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = self.base.replace("http", "ws", 1) + path
        return websockets.connect(address, additional_headers={"Cookie": cookies}, origin=Origin(self.base), open_timeout=15)

    def until(self, what: str, look: Callable[[], Found | None], *, seconds: float) -> Found:
        """Look again and again until `look` finds something. Raises NotAsExpected with `what` after `seconds`."""
        end = time.monotonic() + seconds
        while True:
            found = look()
            if found:
                return found
            if time.monotonic() > end:
                raise NotAsExpected(f"waited {seconds:.0f} s in vain for: {what}")
            time.sleep(0.4)

    def _ask(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        end = time.monotonic() + self.patience
        while True:
            try:
                answer = send()
                if answer.status_code < 500 or time.monotonic() > end:
                    return answer
            except httpx.TransportError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.5)

    def _page(self, answer: httpx.Response, expect: int) -> pages.Page:
        page = pages.read(str(answer.url), answer.status_code, answer.text)
        if page.status != expect:
            raise NotAsExpected(f"{page.url} answered {page.status}, not {expect}: {page.text[:600]}")
        return page
