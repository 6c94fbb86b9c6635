"""How fast one may ask."""

from __future__ import annotations

from rest_framework import request, throttling, views

from portal.accounts import queries
from portal.toolkit import pages, rates


class Fair(throttling.BaseThrottle):
    """600 requests a minute for a token or a person, 120 for a visitor's address."""

    def allow_request(self, request: request.Request, view: views.APIView) -> bool:
        if isinstance(request.auth, queries.Acting):
            rates.hit(name=f"api:token:{request.auth.token}", most=600, seconds=60)
        elif request.user.is_authenticated:
            rates.hit(name=f"api:user:{request.user.pk}", most=600, seconds=60)
        else:
            rates.hit(name=f"api:address:{pages.client_address(request)}", most=120, seconds=60)
        return True
