"""A real ASGI server (uvicorn in a thread, so that it shares the test database) and the system's Chromium.

Tests that use `page` are `django_db(transaction=True)`; `portal_url` is the address of the portal, `log_in` gives the
page somebody's session, `axe` looks for barriers, `fits` for sideways scrolling.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser import inflight

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # sync Playwright keeps an event loop in the main thread

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BARRIERS = {"serious", "critical"}


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": os.environ.get("CHROMIUM") or shutil.which("chromium"), "args": CHROMIUM_ARGUMENTS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}, "timezone_id": "Europe/Berlin", "locale": "en-GB"}


@pytest.fixture(scope="session")
def portal_url(django_db_setup, django_db_blocker):
    """The address of the running portal."""
    import uvicorn
    from channels.routing import ProtocolTypeRouter
    from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler

    from portal import asgi

    application = inflight.counting(ProtocolTypeRouter({**asgi.application_mapping, "http": ASGIStaticFilesHandler(asgi.django_application)}))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, lifespan="off", log_level="warning", timeout_graceful_shutdown=2))
    with django_db_blocker.unblock():
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started:
            if time.monotonic() > deadline:
                raise TimeoutError("the portal did not start within 20 s")
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


@pytest.fixture(autouse=True)
def quiet(transactional_db):
    """Set up before the page, torn down after it: tables are emptied when nothing reads them any more (TRUNCATE and a late request would deadlock)."""
    yield
    inflight.wait_until_quiet(10)


@pytest.fixture
def page(page):
    """The page; a script error, a broken resource or a violation of the content security policy fails the test."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" and "status of 4" not in message.text else None)
    page.set_default_timeout(10_000)
    yield page
    assert not complaints, complaints


@pytest.fixture
def log_in(context, portal_url, client):
    """Call with a person: the browser has his session from then on."""

    def enter(user):
        client.force_login(user)
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])

    return enter


@pytest.fixture
def axe():
    """Call with a page: fails with what axe finds serious or critical."""

    def look(page):
        found = Axe().run(page).response["violations"]
        barriers = [f"{item['id']}: {node['html'][:160]}" for item in found if item["impact"] in BARRIERS for node in item["nodes"]]
        assert not barriers, "\n".join(barriers)

    return look


@pytest.fixture
def fits():
    """Call with a page: fails when it scrolls sideways."""

    def look(page):
        width, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert width <= room, f"{page.url} is {width} px wide in a window of {room} px"

    return look
