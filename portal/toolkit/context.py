"""What every page's template may use."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.utils import timezone


def page(request: http.HttpRequest) -> dict:
    return {"is_demo": settings.DEMO, "viewer_zone": timezone.get_current_timezone_name(), "now": timezone.now()}
