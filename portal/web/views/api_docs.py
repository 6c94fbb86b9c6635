"""How to use the API."""

from __future__ import annotations

from django import http
from django.conf import settings

from portal.toolkit.pages import render_page
from portal.web import reference


def api_docs(request: http.HttpRequest) -> http.HttpResponse:
    curl = f'curl -H "Authorization: Bearer $TOKEN" {settings.BASE_URL}/api/v1/me/'
    return render_page(request, "web/api_docs.html", {"operations": reference.operations(), "curl": curl})
