"""The public catalog."""

from __future__ import annotations

from django import http

from portal.toolkit.pages import render_page


def listing(request: http.HttpRequest) -> http.HttpResponse:
    return render_page(request, "rentals/catalog.html", {})
