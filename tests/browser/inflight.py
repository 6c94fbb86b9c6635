"""What the portal is still doing for a test that has ended: its tables must not be emptied under a request, its hub not be kept for the next test."""

from __future__ import annotations

import contextlib
import threading
import time

from portal.live import hub

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
    """Wait until nothing is being answered and no socket listens, then forget the hubs: the next test may have another Valkey, and a hub stays with the one
    that it was made for. Raises TimeoutError when that takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    try:
        while _count or any(list(made.groups) for made in list(hub._hubs.values())):
            if time.monotonic() > deadline:
                raise TimeoutError(f"after {seconds} s {_count} requests are still being answered, or sockets listen")
            time.sleep(0.01)
    finally:
        hub._hubs.clear()
