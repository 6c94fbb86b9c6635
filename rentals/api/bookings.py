"""Bookings of the organisation acted for."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import response, views

from portal.accounts import queries as accounts
from portal.accounts.api.keyed import Keyed
from portal.accounts.api.permissions import Scoped
from portal.accounts.domain import roles, scopes
from portal.kernel.errors import NotAllowed
from portal.toolkit import requests
from portal.toolkit.pages import client_address
from rentals.api import shapes
from rentals.queries import booking_page, wishes
from rentals.queries import bookings as queries
from rentals.services import bookings


def organisation_of(request: requests.Call, *, may: tuple[str, ...] = roles.EVERYONE) -> Any:
    """The Organisation acted for; raises NotAllowed for who has none, or none of these roles in it."""
    organisation = accounts.current_organisation(request.user)
    if organisation is None or organisation.role not in may:
        raise NotAllowed()
    return organisation


class Bookings(Keyed, views.APIView):
    """The bookings, newest first; a new one."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.BOOKINGS_READ, "POST": scopes.BOOKINGS_WRITE}

    @extend_schema(
        operation_id="bookings",
        parameters=[OpenApiParameter(name, str) for name in ("after", "show", "configuration", "starts_from", "number", "project")],
        responses=shapes.BookingPage,
        tags=["bookings"],
    )
    def get(self, request: requests.Call) -> response.Response:
        found = queries.listing(organisation=organisation_of(request), filters=request.query_params, after=request.query_params.get("after", ""))
        return response.Response(shapes.BookingPage(found.page).data)

    @extend_schema(operation_id="booking_hold", request=shapes.Order, responses={201: shapes.Booking}, tags=["bookings"])
    def post(self, request: requests.Call, *args: object, **kwargs: object) -> response.Response:
        """Hold, all or nothing. Pay on the booking's page; without a payment the hold ends by itself."""
        return super().post(request, *args, **kwargs)

    def act(self, request: requests.Call) -> response.Response:
        organisation = organisation_of(request, may=roles.BOOKERS)
        order = shapes.Order(data=request.data)
        order.is_valid(raise_exception=True)
        now = timezone.now()
        facts = wishes.order_of(order=order.validated_data, during_from=order.during_from, user=request.user, organisation=organisation, now=now)
        booking = bookings.order(by=request.user, organisation=organisation, address=client_address(request), now=now, **facts)
        return _booking(booking, now, status=201)


class Booking(views.APIView):
    """One booking with its servers, its price and what it costs."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.BOOKINGS_READ}

    @extend_schema(operation_id="booking", responses=shapes.Booking, tags=["bookings"])
    def get(self, request: requests.Call, number: str) -> response.Response:
        return _booking(queries.booking_for(request.user, number), timezone.now())


class End(Keyed, views.APIView):
    """End a booking now: what was not used is paid back. Before its preparation began it is cancelled and paid back in full."""

    permission_classes = (Scoped,)
    scopes = {"POST": scopes.BOOKINGS_WRITE}

    @extend_schema(operation_id="booking_end", request=None, responses=shapes.Booking, tags=["bookings"])
    def post(self, request: requests.Call, *args: object, **kwargs: object) -> response.Response:
        return super().post(request, *args, **kwargs)

    def act(self, request: requests.Call, number: str) -> response.Response:
        now = timezone.now()
        booking = queries.booking_for(request.user, number, may=roles.BOOKERS)
        return _booking(bookings.end_now(booking=booking, by=request.user, now=now), now)


class Release(Keyed, views.APIView):
    """Let go of a hold."""

    permission_classes = (Scoped,)
    scopes = {"POST": scopes.BOOKINGS_WRITE}

    @extend_schema(operation_id="booking_release", request=None, responses=shapes.Booking, tags=["bookings"])
    def post(self, request: requests.Call, *args: object, **kwargs: object) -> response.Response:
        return super().post(request, *args, **kwargs)

    def act(self, request: requests.Call, number: str) -> response.Response:
        now = timezone.now()
        bookings.release(booking=queries.booking_for(request.user, number, may=roles.BOOKERS), by=request.user, now=now)
        return _booking(queries.booking_for(request.user, number), now)


def _booking(row: Any, now: Any, *, status: int = 200) -> response.Response:
    return response.Response(shapes.Booking(booking_page.shown(booking=row, now=now)).data, status=status)
