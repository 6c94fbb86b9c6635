"""How the API answers refusals: one shape everywhere, {"error": {"code", "message", "field", "facts"}}."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from rest_framework import exceptions, response
from rest_framework.views import exception_handler

from portal.kernel.errors import DomainError


def answer(error: Exception, context: dict) -> response.Response | None:
    """DRF's EXCEPTION_HANDLER."""
    if isinstance(error, DomainError):
        return response.Response({"error": refusal_of(error)}, status=error.status, headers=retry_header(error))
    answered = exception_handler(error, context)
    if answered is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        fields = answered.data if isinstance(answered.data, dict) else {"non_field_errors": answered.data}
        first = next(iter(fields))
        body = {"code": "invalid", "message": f"{first}: {_first(fields[first])}", "field": first, "facts": fields}
    else:
        body = {"code": getattr(error, "default_code", "error"), "message": str(answered.data.get("detail", "")), "field": "", "facts": {}}
    answered.data = {"error": body}
    return answered


def refusal_of(error: DomainError) -> dict[str, Any]:
    """What the API says of a refusal."""
    return {"code": error.code, "message": gettext(error.message), "field": error.field, "facts": error.facts}


def retry_header(error: DomainError) -> dict[str, str]:
    """The Retry-After header of a refusal that says when to come again."""
    return {"Retry-After": str(error.facts["retry_after"])} if "retry_after" in error.facts else {}


def _first(value: object) -> str:
    while isinstance(value, (list, dict)) and value:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    return str(value)
