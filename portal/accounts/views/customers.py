"""Our customers, for our staff."""

from __future__ import annotations

from django import http

from portal.accounts import queries
from portal.accounts.views.access import staff_required
from portal.toolkit import pages


@staff_required()
def customers(request: http.HttpRequest) -> http.HttpResponse:
    words = request.GET.get("words", "").strip()[:80]
    page = queries.customers(words=words, after=request.GET.get("after", ""))
    return pages.render_page(request, "accounts/customers.html", {"page": page, "words": words}, partial="customers")
