"""Addresses of accounts."""

app_name = "accounts"
urlpatterns: list = []
