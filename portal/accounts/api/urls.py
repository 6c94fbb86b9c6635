"""Addresses of the API of accounts, below /api/v1/."""

app_name = "accounts-api"
urlpatterns: list = []
