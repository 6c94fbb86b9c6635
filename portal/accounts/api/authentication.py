"""Bearer tokens. Only the hash of a token is stored."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions, request
from rest_framework.authentication import BaseAuthentication

from portal.accounts import queries
from portal.accounts.services import tokens
from portal.toolkit import pages, rates

FAILURES = {"most": 30, "seconds": 300}  # wrong tokens from one address


class Token(BaseAuthentication):
    """`Authorization: Bearer gpr_...`. A person acting by a token is that person in that token's Organisation, with its scopes in `request.auth`."""

    def authenticate_header(self, request: request.Request) -> str:
        return "Bearer"

    def authenticate(self, request: request.Request) -> tuple | None:
        scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        address = pages.client_address(request)
        failures = f"token-failures:{address}"
        rates.check(name=failures, **FAILURES)
        acting = queries.acting_by(secret.strip(), timezone.now())
        if acting is None:
            rates.hit(name=failures, **FAILURES)
            raise exceptions.AuthenticationFailed(_("This token is unknown, revoked or expired."))
        acting.user.acting_address = address
        tokens.seen(token_id=acting.token, now=timezone.now())
        return acting.user, acting


class TokenScheme(OpenApiAuthenticationExtension):
    """How the token stands in the OpenAPI document."""

    target_class = Token
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict:
        return {"type": "http", "scheme": "bearer", "description": "A token made on the page API tokens."}
