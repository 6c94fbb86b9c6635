"""What the portal counts of its own requests, for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable

import prometheus_client
from django import http

REQUESTS = prometheus_client.Counter("portal_requests", "Answered requests", ["method", "address", "status"])
SECONDS = prometheus_client.Histogram("portal_request_seconds", "Time to answer", ["address"], buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10))
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def count_requests(get_response: Callable) -> Callable:
    """Middleware: count each request by the name of its address (never by its path, of which there are endlessly many) and time it."""

    def middleware(request: http.HttpRequest) -> http.HttpResponse:
        begun = time.perf_counter()
        response = get_response(request)
        address = getattr(request.resolver_match, "view_name", "") or "none"
        REQUESTS.labels(request.method if request.method in METHODS else "other", address, f"{response.status_code // 100}xx").inc()
        SECONDS.labels(address).observe(time.perf_counter() - begun)
        return response

    return middleware
