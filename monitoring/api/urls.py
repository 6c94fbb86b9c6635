"""Addresses of the API of monitoring, below /api/v1/."""

from django.urls import path

from monitoring.api import telemetry

app_name = "monitoring-api"
urlpatterns = [path("bookings/<str:number>/telemetry/", telemetry.Telemetry.as_view(), name="telemetry")]
