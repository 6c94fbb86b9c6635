"""Middleware of the whole site."""

from __future__ import annotations

import zoneinfo

from django import http
from django.shortcuts import render
from django.utils import timezone, translation

from portal.kernel.errors import DomainError


def viewer_preferences(get_response):
    """Show each viewer his own zone (account, else the `tz` cookie that the page script sets) and language."""

    def middleware(request: http.HttpRequest) -> http.HttpResponse:
        user = request.user
        name = user.time_zone if user.is_authenticated else request.COOKIES.get("tz", "UTC")
        try:
            zone = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            zone = zoneinfo.ZoneInfo("UTC")
        with timezone.override(zone):
            return get_response(request)

    return middleware


class answer_domain_errors:
    """A refusal that no view caught becomes a page (or fragment) with its own status, never a 500."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: http.HttpRequest) -> http.HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: http.HttpRequest, error: Exception) -> http.HttpResponse | None:
        if not isinstance(error, DomainError) or request.path.startswith("/api/"):
            return None
        with translation.override(translation.get_language()):
            return render(request, "refusal.html", {"error": error}, status=error.status)
