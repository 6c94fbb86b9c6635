"""The site of administrators, for reference data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar, cast

from django import http
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.urls import reverse

from portal.accounts import queries

View = TypeVar("View", bound=Callable[..., http.HttpResponseBase])


class Site(admin.AdminSite):
    """For administrators only. Its log-in is ours: a second form beside it would know neither rate limits nor second factors."""

    def has_permission(self, request: http.HttpRequest) -> bool:
        return request.user.is_active and request.user.is_superuser

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Shut every page of it: a visitor is sent to the log-in, a customer gets 404, other staff 403."""
        shown = super().admin_view(view, cacheable)

        @functools.wraps(shown)
        def guarded(request: http.HttpRequest, *args, **kwargs) -> http.HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            queries.require_administrator(request.user)
            return shown(request, *args, **kwargs)

        return cast(View, guarded)

    def login(self, request: http.HttpRequest, extra_context: dict | None = None) -> http.HttpResponse:
        return redirect_to_login(reverse("admin:index"))
