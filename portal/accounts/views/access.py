"""Decorators that say who may open a view. Loaders check the row; these check the person."""

from __future__ import annotations

import functools
from collections.abc import Callable

from django import http
from django.contrib.auth.views import redirect_to_login
from django.shortcuts import redirect

from portal.accounts import queries
from portal.kernel.errors import NotAllowed

View = Callable[..., http.HttpResponse]


def staff_required(*roles: str) -> Callable[[View], View]:
    """For staff with one of `roles` (any staff when none is named). A visitor is sent to the log-in, a customer gets 404, other staff 403."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(request: http.HttpRequest, *args, **kwargs) -> http.HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            queries.require_staff(request.user, *roles)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def member_required(view: View) -> View:
    """For a member of an Organisation, set as `request.organisation` (with `.role`). A visitor is sent to the log-in, who has no Organisation to the page
    that founds one, staff without one gets 403."""

    return role_required()(view)


def role_required(*roles: str) -> Callable[[View], View]:
    """As member_required, and his role in the current Organisation is one of `roles`; else 403."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(request: http.HttpRequest, *args, **kwargs) -> http.HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            organisation = queries.current_organisation(request.user)
            if organisation is None:
                if queries.has_staff_role(request.user):
                    raise NotAllowed()
                return redirect("accounts:organisation-new")
            if roles and organisation.role not in roles:
                raise NotAllowed()
            request.organisation = organisation
            return view(request, *args, **kwargs)

        return guarded

    return decorate
