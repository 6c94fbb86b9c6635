"""Mails of a demo installation: a newcomer must be able to click his confirmation link."""

from __future__ import annotations

from django import http
from django.conf import settings

from portal.kernel.errors import NotFound
from portal.toolkit import mailbox
from portal.toolkit.pages import render_page


def demo_mails(request: http.HttpRequest) -> http.HttpResponse:
    if not settings.DEMO:
        raise NotFound()
    return render_page(request, "demo/mails.html", {"page": mailbox.listing(after=request.GET.get("after", ""))})


def demo_mail(request: http.HttpRequest, name: str) -> http.HttpResponse:
    if not settings.DEMO:
        raise NotFound()
    return render_page(request, "demo/mail.html", {"mail": mailbox.one(name=name)})
