"""Addresses of the API of monitoring, below /api/v1/."""

app_name = "monitoring-api"
urlpatterns: list = []
