"""What the frame around every page may use of the person looking at it."""

from __future__ import annotations

from django.utils.functional import SimpleLazyObject

from portal.accounts import queries
from portal.toolkit import requests


def shell(request: requests.Request) -> dict:
    """`shell`: his Organisations, the current one, his role, his staff roles and the count of unread notifications. Costs nothing until a template asks,
    and nothing again where the view has asked already and left it on the request."""
    return {"shell": SimpleLazyObject(lambda: getattr(request, "shell", None) or queries.shell_of(request.user))}
