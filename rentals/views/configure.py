"""Choosing, pricing and holding a Configuration."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import http
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from portal.accounts.domain import roles
from portal.accounts.views.access import role_required
from portal.kernel.errors import DomainError
from portal.toolkit import requests
from portal.toolkit.pages import client_address, render_page
from rentals.forms.configure import Configure
from rentals.queries import wishes
from rentals.services import bookings

FIELDS = {"ssh_keys": "keys", "public_key": "new_key"}  # a refusal's name for a field -> the form's


def configure(request: requests.Request, sku: str) -> http.HttpResponse:
    """The form as a page of its own; posted, the same with its price: a part of the page for htmx."""
    panel = panel_of(request, wishes.configuration_for(sku))
    if request.htmx and request.method == "POST":
        return render(request, "rentals/_configure.html#price", {"configure": panel})
    return render_page(request, "rentals/configure.html", {"configure": panel}, status=400 if request.method == "POST" and panel["form"].errors else 200)


@require_POST
@role_required(*roles.BOOKERS)
def hold(request: requests.Request, sku: str) -> http.HttpResponse:
    panel = panel_of(request, wishes.configuration_for(sku))
    if panel["form"].is_valid():
        try:
            booking = bookings.order(by=request.user, organisation=request.organisation, address=client_address(request), **panel["form"].order())
        except DomainError as error:
            return _refused(request, panel, error)
        return redirect("rentals:booking", booking.number)
    return render_page(request, "rentals/configure.html", {"configure": panel}, status=400)


def panel_of(request: http.HttpRequest, configuration: Any) -> dict[str, Any]:
    """What the panel "Configure" shows: for its own page, and for the Configuration's."""
    now = timezone.now()
    choices = wishes.choices(configuration=configuration, user=request.user, now=now)
    form = Configure(choices, request.POST, now=now) if request.method == "POST" else Configure.read_from(choices, request.GET, now=now)
    outlook = None
    if form.is_valid():
        outlook = wishes.outlook(**form.wish(), organisation=choices.organisation, currency=choices.currency, now=now)
    return {"form": form, "outlook": outlook, "choices": choices, "instead": _instead(outlook)}


def _instead(outlook: wishes.Outlook | None) -> str:
    """The earliest start as the form's field takes it: local, to the minute."""
    if outlook is None or outlook.earliest_start is None:
        return ""
    return _local_minute(outlook.earliest_start)


def _local_minute(at: datetime) -> str:
    up = at + timedelta(seconds=59)
    return timezone.localtime(up).strftime("%Y-%m-%dT%H:%M")


def _refused(request: http.HttpRequest, panel: dict[str, Any], error: DomainError) -> http.HttpResponse:
    form = panel["form"]
    field = FIELDS.get(error.field, error.field)
    form.add_error(field if field in form.fields else None, error.message)
    return render_page(request, "rentals/configure.html", {"configure": panel}, status=error.status)
