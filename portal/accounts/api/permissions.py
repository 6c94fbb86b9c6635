"""What a token's scopes permit. Roles are checked by the loaders, for people and tokens alike."""

from __future__ import annotations

from django.utils.translation import gettext as _
from rest_framework import permissions, request, views

from portal.accounts import queries
from portal.kernel.errors import NotAllowed


class MissingScope(NotAllowed):
    """The token lacks a scope."""

    code = "missing_scope"


class Scoped(permissions.BasePermission):
    """For logged-in people, and for tokens with the scope that the view names for the method: `scopes = {"GET": "bookings:read"}`. A method without a
    scope is closed to tokens."""

    def has_permission(self, request: request.Request, view: views.APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        if not isinstance(request.auth, queries.Acting) or request.method == "OPTIONS":
            return True
        scope = getattr(view, "scopes", {}).get("GET" if request.method == "HEAD" else request.method, "")
        if scope not in request.auth.scopes:
            raise MissingScope(_("This token lacks the scope %(scope)s.") % {"scope": scope or "–"}, scope=scope)
        return True
