"""Middleware of the whole site."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from typing import ClassVar

from django import http
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext
from django_htmx.http import reswap, retarget

from portal.kernel.errors import DomainError, InvalidInput
from portal.toolkit import requests
from portal.toolkit.api import refusal_of, retry_header
from portal.toolkit.pages import client_address

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class NulCharacter(InvalidInput):
    """What was sent holds a NUL character, which no text may."""

    code = "nul_character"


def readable_cookies(get_response):
    """A cookie with a NUL character is none of ours: left out before the session looks for it in the database."""

    def middleware(request: http.HttpRequest) -> http.HttpResponse:
        request.COOKIES = {name: text for name, text in request.COOKIES.items() if "\0" not in text}
        return get_response(request)

    return middleware


def viewer_preferences(get_response):
    """Show each viewer his own zone (account, else the `tz` cookie that the page script sets) and language."""

    def middleware(request: http.HttpRequest) -> http.HttpResponse:
        user = request.user
        name = user.time_zone if user.is_authenticated else request.COOKIES.get("tz", "UTC")
        language = user.language if user.is_authenticated else translation.get_language()
        try:
            zone = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            zone = zoneinfo.ZoneInfo("UTC")
        with timezone.override(zone), translation.override(language):
            request.LANGUAGE_CODE = language
            return get_response(request)

    return middleware


def acting_address(get_response):
    """Tell the person object from where he acts, so that the audit entries of his acts say so."""

    def middleware(request: http.HttpRequest) -> http.HttpResponse:
        if request.user.is_authenticated:
            request.user.acting_address = client_address(request)
        return get_response(request)

    return middleware


class answer_domain_errors:
    """A refusal that no view caught becomes a page with its own status, never a 500; for htmx a message in the page's flash."""

    PAGES: ClassVar[dict[int, str]] = {403: "403.html", 404: "404.html"}

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: http.HttpRequest) -> http.HttpResponse:
        return self.get_response(request)

    def process_view(self, request: requests.Request, *view: object) -> http.HttpResponse | None:
        """No column, header or file name holds a NUL: refused here, before anything reads it."""
        name = next((name for name, text in _given(request) if "\0" in name or "\0" in text), None)
        if name is None:
            return None
        error = NulCharacter(field=name.replace("\0", ""))
        if request.path.startswith("/api/"):
            return http.JsonResponse({"error": refusal_of(error)}, status=error.status)
        return self.process_exception(request, error)

    def process_exception(self, request: requests.Request, error: Exception) -> http.HttpResponse | None:
        if not isinstance(error, DomainError) or request.path.startswith("/api/"):
            return None
        facts = {"error": error, "message": gettext(error.message)}
        if request.htmx:
            response = render(request, "refusal.html#refusal", facts, status=error.status)
            response = retarget(reswap(response, "innerHTML"), "#flash")
        else:
            response = render(request, self.PAGES.get(error.status, "refusal.html"), facts, status=error.status)
        for name, value in retry_header(error).items():
            response[name] = value
        return response


def _given(request: http.HttpRequest) -> Iterator[tuple[str, str]]:
    """Names and texts of the address and of a form; a program's JSON is its serializers' to check."""
    yield "", request.path
    for given in [request.GET, *([request.POST] if request.content_type in FORMS else [])]:
        for name, texts in given.lists():
            yield from ((name, text) for text in texts)
