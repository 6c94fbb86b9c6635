"""For load balancers and supervisors."""

from __future__ import annotations

from django import http
from django.db import connection


def healthz(request: http.HttpRequest) -> http.JsonResponse:
    """200 while the database answers, 503 otherwise."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Exception as error:  # any failure of the driver means the same to whoever asks
        return http.JsonResponse({"database": type(error).__name__}, status=503)
    return http.JsonResponse({"database": "ok"})
