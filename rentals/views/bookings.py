"""Bookings of a customer: the list, the page of one, and what can be done with it."""

from __future__ import annotations

from typing import Any

from django import http
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HTMX_STOP_POLLING

from portal.accounts.domain import roles
from portal.accounts.views.access import member_required
from portal.toolkit import requests
from portal.toolkit.pages import render_page
from rentals.queries import booking_page, certificates, steps, timeline
from rentals.queries import bookings as queries
from rentals.services import bookings


@require_safe
@member_required
def listing(request: requests.Request) -> http.HttpResponse:
    found = queries.listing(organisation=request.organisation, filters=request.GET, after=request.GET.get("after", ""))
    return render_page(request, "rentals/bookings.html", {"listing": found, "page": found.page}, partial="bookings")


@require_safe
@login_required
def page(request: http.HttpRequest, number: str) -> http.HttpResponse:
    return render_page(request, "rentals/booking.html", _shown(request, number))


@require_safe
@login_required
def part(request: http.HttpRequest, number: str, name: str) -> http.HttpResponse:
    """One part of the page, fetched again after a hint. When the page has become another one (paid, over) htmx loads it anew."""
    context = _shown(request, number)
    goes_on = context["ways_go_on"] or not context["booking"].is_over
    response = render_page(request, "rentals/booking.html", context, partial=f"booking-{name}", status=200 if goes_on else HTMX_STOP_POLLING)
    if request.GET.get("was", context["booking"].state) != context["booking"].state:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@login_required
def release(request: http.HttpRequest, number: str) -> http.HttpResponse:
    booking = queries.booking_for(request.user, number, may=roles.BOOKERS)
    bookings.release(booking=booking, by=request.user, now=timezone.now())
    messages.info(request, _("%(number)s is no longer held for you.") % {"number": number})
    return redirect("rentals:booking", number)


@require_POST
@login_required
def end(request: http.HttpRequest, number: str) -> http.HttpResponse:
    booking = queries.booking_for(request.user, number, may=roles.BOOKERS)
    bookings.end_now(booking=booking, by=request.user, now=timezone.now())
    return redirect("rentals:booking", number)


def _shown(request: http.HttpRequest, number: str) -> dict[str, Any]:
    now = timezone.now()
    row = queries.booking_for(request.user, number)
    ways = steps.ways_of(row)
    return {
        "booking": booking_page.shown(booking=row, now=now),
        "events": timeline.timeline_of(row),
        "ways": ways,
        "ways_go_on": not all(way.is_over for way in ways),
        "has_certificate": any(way.leaves for way in ways) and certificates.exists_for(row),
        "may_act": row.role in roles.BOOKERS,
        "may_pay": row.role in (*roles.BOOKERS, *roles.PAYERS),
        "may_see_documents": row.role in roles.PAYERS,
    }
