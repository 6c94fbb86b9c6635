"""What every page's template may use."""

from __future__ import annotations

from django import http
from django.conf import settings
from django.utils import timezone

THEMES = ("light", "dark", "auto")


def page(request: http.HttpRequest) -> dict:
    """is_demo, theme (light | dark | auto), the viewer's zone by name and the moment of rendering."""
    theme = request.COOKIES.get("theme", "auto")
    return {
        "is_demo": settings.DEMO,
        "theme": theme if theme in THEMES else "auto",
        "viewer_zone": timezone.get_current_timezone_name(),
        "now": timezone.now(),
    }
