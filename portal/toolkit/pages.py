"""Rendering a page or one of its partials, and reading a request's facts."""

from __future__ import annotations

from django import http
from django.shortcuts import render


def render_page(request: http.HttpRequest, template: str, context: dict, *, partial: str = "", status: int = 200) -> http.HttpResponse:
    """The whole page; only its inline partial when htmx asked and the view named one. The view picks the partial, never the client."""
    if partial and getattr(request, "htmx", False) and not request.htmx.boosted:
        template = f"{template}#{partial}"
    return render(request, template, context, status=status)


def client_address(request: http.HttpRequest) -> str | None:
    """The peer's address as the server in front gave it (uvicorn's --proxy-headers handles X-Forwarded-For)."""
    return request.META.get("REMOTE_ADDR") or None
