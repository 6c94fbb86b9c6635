"""Where a log-in lands."""

from __future__ import annotations

from django import http
from django.contrib.auth.decorators import login_required

from portal.toolkit.pages import render_page


@login_required
def home(request: http.HttpRequest) -> http.HttpResponse:
    return render_page(request, "web/home.html", {})
