"""For Prometheus."""

from __future__ import annotations

import ipaddress

import prometheus_client
from django import http
from django.conf import settings
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from portal.kernel.errors import NotFound
from portal.toolkit import pages
from portal.web import gauges


def metrics(request: http.HttpRequest) -> http.HttpResponse:
    """Counts of this process and gauges of the whole, for whoever has the token, or asks from this very machine and not through a proxy. Else 404."""
    if not (_has_token(request) or _is_here(request)):
        raise NotFound()
    body = prometheus_client.generate_latest().decode() + "\n".join(gauges.lines(now=timezone.now())) + "\n"
    return http.HttpResponse(body, content_type=prometheus_client.CONTENT_TYPE_LATEST)


def _has_token(request: http.HttpRequest) -> bool:
    wanted = settings.METRICS_TOKEN
    return bool(wanted) and constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {wanted}")


def _is_here(request: http.HttpRequest) -> bool:
    address = pages.client_address(request) or ""
    came_by_proxy = any(name in request.headers for name in ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via"))
    try:
        return ipaddress.ip_address(address).is_loopback and not came_by_proxy
    except ValueError:  # a Unix socket has no address
        return False
