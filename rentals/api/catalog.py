"""The catalog: what is offered, when it is free, what it would cost. Public; who is logged in sees his own currency and tax."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, response, views

from portal.accounts import queries as accounts
from portal.kernel.errors import InvalidInput, NotFound
from portal.kernel.period import Period
from portal.toolkit import requests
from rentals.api import shapes
from rentals.domain import local_time
from rentals.queries import availability, catalog, wishes

SHOWN = timedelta(days=28)
MOST_SHOWN = timedelta(days=200)


class Catalog(views.APIView):
    """All configurations on offer, in the catalog's order."""

    permission_classes = (permissions.AllowAny,)

    @extend_schema(operation_id="catalog", responses=shapes.Configuration(many=True), tags=["catalog"])
    def get(self, request: requests.Call) -> response.Response:
        return response.Response(shapes.Configuration(catalog.everything(viewer=_viewer(request)), many=True).data)


class Configuration(views.APIView):
    """One configuration."""

    permission_classes = (permissions.AllowAny,)

    @extend_schema(operation_id="configuration", responses=shapes.Configuration, tags=["catalog"])
    def get(self, request: requests.Call, sku: str) -> response.Response:
        found = next((offer for offer in catalog.everything(viewer=_viewer(request)) if offer.sku == sku), None)
        if found is None:
            raise NotFound()
        return response.Response(shapes.Configuration(found).data)


class Availability(views.APIView):
    """When it is free: the same arithmetic that admits a booking."""

    permission_classes = (permissions.AllowAny,)

    @extend_schema(
        operation_id="availability",
        parameters=[OpenApiParameter("from", str, description="Now when left out."), OpenApiParameter("to", str, description="Four weeks on.")],
        responses=shapes.Availability,
        tags=["catalog"],
    )
    def get(self, request: requests.Call, sku: str) -> response.Response:
        now = timezone.now()
        start = _instant(request, "from") or now
        end = _instant(request, "to") or start + SHOWN
        if not start < end <= start + MOST_SHOWN:
            raise InvalidInput(_("The end must lie after the start, by 200 days at most."), field="to")
        found = availability.availability(configuration=wishes.configuration_for(sku), span=Period(start, end), now=now)
        return response.Response(shapes.Availability(found).data)


class Price(views.APIView):
    """What a wish would cost, line by line, and whether it could be booked at this instant. Holds nothing."""

    permission_classes = (permissions.AllowAny,)

    @extend_schema(operation_id="price", request=shapes.Wish, responses=shapes.Outlook, tags=["catalog"])
    def post(self, request: requests.Call, sku: str) -> response.Response:
        wish = shapes.Wish(data=request.data)
        wish.is_valid(raise_exception=True)
        now, configuration = timezone.now(), wishes.configuration_for(sku)
        during = wish.during_from(availability.earliest_now(configuration=configuration, now=now))
        asked = wishes.wish_of(configuration=configuration, order=wish.validated_data, during=during)
        organisation = _organisation(request)
        found = wishes.outlook(**asked, organisation=organisation, currency=_currency(organisation), now=now)
        return response.Response(shapes.Outlook(found).data)


def _organisation(request: requests.Call) -> Any:
    return accounts.current_organisation(request.user) if request.user.is_authenticated else None


def _currency(organisation: Any) -> str:
    return organisation.currency if organisation is not None else settings.CURRENCIES[0]


def _viewer(request: requests.Call) -> catalog.Viewer:
    return catalog.Viewer(_currency(_organisation(request)), timezone.get_current_timezone(), timezone.now())


def _instant(request: requests.Call, name: str) -> datetime | None:
    text = request.query_params.get(name, "")
    if not text:
        return None
    try:
        return local_time.read(text, "UTC").at
    except ValueError as error:
        raise InvalidInput(_("This is not a date and time. Write it like 2026-12-24 18:00."), field=name) from error
