"""Every component on one page, in demo installations only: what a new page is built from, and what a change of the style sheet is checked against."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.utils import timezone

from portal.kernel.errors import NotFound
from portal.toolkit.pages import render_page
from portal.web import components as parts


def components(request: http.HttpRequest) -> http.HttpResponse:
    if not settings.DEMO:
        raise NotFound
    return render_page(request, "demo/components.html", parts.samples(now=timezone.now()))
