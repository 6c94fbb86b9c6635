"""The public catalog: the list and the page of one Configuration."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.utils import timezone

from portal.accounts import queries as accounts
from portal.kernel.page import Page
from portal.toolkit import requests
from portal.toolkit.pages import render_page
from rentals.domain import offers
from rentals.forms import catalog as forms
from rentals.queries import catalog, sheets
from rentals.views import configure

PAGE_SIZE = 10


def listing(request: requests.Request) -> http.HttpResponse:
    form = forms.Filter(request.GET)
    form.is_valid()
    viewer = _viewer(request, form)
    selection = catalog.listing(filters=form.filters(), viewer=viewer)
    items, following = offers.page(selection.offers, request.GET.get("after", ""), PAGE_SIZE)
    page = Page(items=items, next=following, count=len(selection.offers))
    context = {"form": form, "selection": selection, "page": page, "viewer": viewer}
    return render_page(request, "rentals/catalog.html", context, partial="offers")


def configuration(request: requests.Request, sku: str) -> http.HttpResponse:
    form = forms.Filter(request.GET)
    form.is_valid()
    viewer = _viewer(request, form)
    sheet = sheets.sheet_of(sku=sku, viewer=viewer)
    context = {"sheet": sheet, "viewer": viewer, "form": form, "configure": configure.panel_of(request, sheet.configuration)}
    return render_page(request, "rentals/configuration.html", context)


def _viewer(request: requests.Request, form: forms.Filter) -> catalog.Viewer:
    """The frame is read here, once, because the currency of a customer's prices is in it."""
    request.shell = accounts.shell_of(request.user)
    organisation = request.shell.organisation
    now, zone = timezone.now(), timezone.get_current_timezone()
    usual = organisation.currency if organisation else settings.CURRENCIES[0]
    return catalog.Viewer(form.currency_code(usual), zone, now, form.wanted(zone, now), usual)
