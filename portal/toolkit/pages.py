"""Rendering a page or one of its partials, and reading a request's facts."""

from __future__ import annotations

from django import forms, http
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext

from portal.kernel.errors import DomainError


def render_page(request: http.HttpRequest, template: str, context: dict, *, partial: str = "", status: int = 200) -> http.HttpResponse:
    """The whole page; only its inline partial when htmx asked and the view named one. The view picks the partial, never the client."""
    htmx = getattr(request, "htmx", None)
    if partial and htmx and not htmx.boosted:
        template = f"{template}#{partial}"
    return render(request, template, context, status=status)


def file_answer(content: bytes, *, name: str, kind: str) -> http.HttpResponse:
    """`content` under the file name `name`, shown by browsers that can."""
    return http.HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'inline; filename="{name}"'})


def client_address(request: http.HttpRequest) -> str | None:
    """The peer's address as the server in front gave it (uvicorn's --proxy-headers handles X-Forwarded-For)."""
    return request.META.get("REMOTE_ADDR") or None


def put_on_form(form: forms.Form, refusal: DomainError) -> None:
    """Show a service's refusal at the field that it names, else above the form."""
    form.add_error(refusal.field if refusal.field in form.fields else None, gettext(refusal.message))


def safe_next(request: http.HttpRequest, *, default: str) -> str:
    """Where `next` in the form points to, when that is a page of ours; else `default` (a URL name or path)."""
    wanted = request.POST.get("next", "") or request.GET.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return wanted if ours and wanted.startswith("/") else default
