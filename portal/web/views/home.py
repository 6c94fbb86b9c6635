"""Where a log-in lands."""

from __future__ import annotations

from django import http
from django.contrib.auth.decorators import login_required
from django.utils import timezone

from portal.accounts import queries
from portal.toolkit import requests
from portal.toolkit.pages import render_page
from portal.web import home as first


@login_required
def home(request: requests.SignedIn) -> http.HttpResponse:
    request.shell = queries.shell_of(request.user)
    return render_page(request, "web/home.html", {"home": first.home_of(request.user, request.shell, now=timezone.now())})
