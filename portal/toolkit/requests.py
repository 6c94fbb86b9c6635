"""What our middleware and decorators put onto a request, told to the type checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import http
from rest_framework import request as rest

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails

    from portal.accounts.models import Organisation, User
    from portal.accounts.queries import Shell


class Request(http.HttpRequest):
    """Anybody's. `shell` is there once a view or a decorator has read the frame, `organisation` behind member_required and role_required."""

    htmx: HtmxDetails
    shell: Shell
    organisation: Organisation


class SignedIn(Request):
    """Of a person who has logged in."""

    user: User


class Call(rest.Request):
    """A call of the API, behind Scoped: of a person, with or without a token."""

    user: User
