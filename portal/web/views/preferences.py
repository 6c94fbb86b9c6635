"""Theme and language: cookies, so that they work before a log-in."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from portal.toolkit import context

YEAR = 365 * 24 * 3600


@require_POST
def theme(request: http.HttpRequest) -> http.HttpResponse:
    """Remember light, dark or auto and go back; anything else is answered 400."""
    wanted = request.POST.get("theme", "")
    if wanted not in context.THEMES:
        return http.HttpResponseBadRequest("theme")
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        target = "/"
    response = http.HttpResponseRedirect(target)
    response.set_cookie("theme", wanted, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response


language = set_language
