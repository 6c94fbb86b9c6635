"""What the GPUs of a booking are doing, for programs."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import request, response, views

from monitoring.api import shapes
from monitoring.queries import told, watching
from portal.accounts.api.permissions import Scoped
from portal.accounts.domain import scopes


class Telemetry(views.APIView):
    """The newest readings, the minutes before, and faults. Ask once a second at most: there is nothing newer in between."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.TELEMETRY_READ}

    @extend_schema(operation_id="booking_telemetry", parameters=[shapes.Wish], responses=shapes.Telemetry, tags=["telemetry"])
    def get(self, request: request.Request, number: str) -> response.Response:
        wish = shapes.Wish(data=request.query_params)
        wish.is_valid(raise_exception=True)
        now = timezone.now()
        watch = watching.booking(user=request.user, number=number, now=now)
        return response.Response(shapes.Telemetry(told.telemetry(watch=watch, minutes=wish.validated_data["minutes"], now=now)).data)
