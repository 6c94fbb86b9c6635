"""How a person wants to see the portal."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from portal.accounts.services import people
from portal.toolkit import pages


@require_POST
def language(request: http.HttpRequest) -> http.HttpResponse:
    """Switch the language, for a visitor in a cookie, for a person also in his account."""
    wanted = request.POST.get("language", "")
    response = redirect(pages.safe_next(request, default="/"))
    if wanted in dict(settings.LANGUAGES):
        people.choose_language(user=request.user, language=wanted)
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, wanted, max_age=31_536_000, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response
