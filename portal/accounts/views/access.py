"""Decorators that say who may open a view. Loaders check the row; these check the person."""

from __future__ import annotations

import functools
from collections.abc import Callable

from allauth.account import adapter as account_adapter
from django import http
from django.contrib.auth.views import redirect_to_login
from django.shortcuts import redirect

from portal.accounts import queries
from portal.kernel.errors import NotAllowed
from portal.toolkit import requests

View = Callable[..., http.HttpResponseBase]


def invited(request: http.HttpRequest, *, email: str) -> None:
    """Remember that this visitor reads the mail of `email`: a sign-up with it counts as confirmed."""
    account_adapter.get_adapter(request).stash_verified_email(request, email)


def staff_required(*roles: str) -> Callable[[View], View]:
    """For staff with one of `roles` (any staff when none is named). A visitor is sent to the log-in, a customer gets 404, other staff 403."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(request: requests.Request, *args, **kwargs) -> http.HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            _read_frame(request)
            queries.require_staff(request.user, *roles)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def member_required(view: View) -> View:
    """For a member of an Organisation, set as `request.organisation` (with `.role`). A visitor is sent to the log-in, who has no Organisation to the page
    that founds one, staff without one gets 403."""

    @functools.wraps(view)
    def guarded(request: requests.Request, *args, **kwargs) -> http.HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        organisation = _read_frame(request).organisation
        if organisation is not None:
            request.organisation = organisation
            return view(request, *args, **kwargs)
        if queries.has_staff_role(request.user):
            raise NotAllowed()
        return redirect("accounts:organisation-new")

    return guarded


def role_required(*roles: str) -> Callable[[View], View]:
    """As member_required, and his role in the current Organisation is one of `roles`; else 403."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(request: requests.Request, *args, **kwargs) -> http.HttpResponseBase:
            if request.organisation.role not in roles:
                raise NotAllowed()
            return view(request, *args, **kwargs)

        return member_required(guarded)

    return decorate


def _read_frame(request: requests.Request) -> queries.Shell:
    """Read what the frame of the page shows of the person: his roles are among it, so nobody has to ask for them again in this request."""
    request.shell = queries.shell_of(request.user)
    if request.user.is_authenticated:
        request.user.held_staff_roles = request.shell.staff_roles
    return request.shell
