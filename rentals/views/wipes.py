"""Wipe certificates as files."""

from __future__ import annotations

from django import http
from django.contrib.auth.decorators import login_required
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from portal.accounts.domain import roles
from portal.accounts.views.access import staff_required
from rentals.queries import certificates


@require_safe
@login_required
def booking(request: http.HttpRequest, number: str) -> http.HttpResponse:
    return _file(certificates.of_booking(user=request.user, number=number), number)


@require_safe
@staff_required(roles.OPERATOR)
def wipe(request: http.HttpRequest, wipe: int) -> http.HttpResponse:
    found = certificates.of_wipe(user=request.user, wipe=wipe)
    return _file(found, found[0].server)


def _file(found: list[certificates.Certificate], name: str) -> http.HttpResponse:
    body = certificates.paper(found, language=get_language() or "en")
    return http.HttpResponse(body, content_type="application/pdf", headers={"Content-Disposition": f'attachment; filename="wipe-{name}.pdf"'})
