"""Addresses of the API of billing, below /api/v1/."""

app_name = "billing-api"
urlpatterns: list = []
