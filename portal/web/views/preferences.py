"""Theme and language: cookies, so that they work before a log-in; the language also in the account, for his mails."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.views.decorators.http import require_POST

from portal.accounts.services import people
from portal.toolkit import context, pages, requests

YEAR = 365 * 24 * 3600


@require_POST
def theme(request: http.HttpRequest) -> http.HttpResponse:
    """Remember light, dark or auto and go back; anything else is answered 400."""
    wanted = request.POST.get("theme", "")
    if wanted not in context.THEMES:
        return http.HttpResponseBadRequest("theme")
    response = http.HttpResponseRedirect(pages.safe_next(request, default="/"))
    response.set_cookie("theme", wanted, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response


@require_POST
def language(request: requests.Request) -> http.HttpResponse:
    """Switch the language and go back: for a visitor in a cookie, for a person also in his account. An unknown language is answered 400."""
    wanted = request.POST.get("language", "")
    if wanted not in dict(settings.LANGUAGES):
        return http.HttpResponseBadRequest("language")
    people.choose_language(user=request.user, language=wanted)
    response = http.HttpResponseRedirect(pages.safe_next(request, default="/"))
    response.set_cookie(settings.LANGUAGE_COOKIE_NAME, wanted, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response
