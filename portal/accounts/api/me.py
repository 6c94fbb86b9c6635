"""Who am I, and for whom do I act?"""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import response, serializers, views

from portal.accounts import queries
from portal.accounts.api.permissions import Scoped
from portal.accounts.domain import scopes
from portal.toolkit import requests


class Organisation(serializers.Serializer):
    number = serializers.CharField()
    name = serializers.CharField()
    role = serializers.CharField()
    currency = serializers.CharField()
    country = serializers.CharField()
    time_zone = serializers.CharField()


class Person(serializers.Serializer):
    email = serializers.EmailField()
    name = serializers.CharField()
    language = serializers.CharField()
    time_zone = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="Of the token; null for a session.")
    organisation = Organisation(allow_null=True, help_text="The one acted for.")


class Me(views.APIView):
    """The person behind the request."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.ACCOUNT_READ}

    @extend_schema(operation_id="me", responses=Person, tags=["account"])
    def get(self, request: requests.Call) -> response.Response:
        person = {
            "email": request.user.email,
            "name": request.user.name,
            "language": request.user.language,
            "time_zone": request.user.time_zone,
            "scopes": sorted(request.auth.scopes) if isinstance(request.auth, queries.Acting) else None,
            "organisation": queries.current_organisation(request.user),
        }
        return response.Response(Person(person).data)


class Organisations(views.APIView):
    """The organisations that one may act for; a token's own only."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.ACCOUNT_READ}

    @extend_schema(operation_id="organisations", responses=Organisation(many=True), tags=["account"])
    def get(self, request: requests.Call) -> response.Response:
        return response.Response(Organisation(queries.organisations_of(request.user), many=True).data)
