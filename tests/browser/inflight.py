"""How many requests the portal is answering: a test that ends must not empty the tables under one."""

from __future__ import annotations

import contextlib
import threading
import time

_lock = threading.Lock()
_count = 0


@contextlib.contextmanager
def _counted():
    global _count
    with _lock:
        _count += 1
    try:
        yield
    finally:
        with _lock:
            _count -= 1


def count_requests(get_response):
    """Middleware. It is synchronous, so it goes on counting in the thread of a request whose browser has left."""

    def middleware(request):
        with _counted():
            return get_response(request)

    return middleware


def counting(application):
    """An ASGI application around `application`: counts a request from its arrival on, before a thread has it."""

    async def counted(scope, receive, send):
        with _counted() if scope["type"] == "http" else contextlib.nullcontext():
            await application(scope, receive, send)

    return counted


def wait_until_quiet(seconds: float) -> None:
    """Wait until nothing is being answered. Raises TimeoutError when that takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while _count:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{_count} requests are still being answered after {seconds} s")
        time.sleep(0.01)
