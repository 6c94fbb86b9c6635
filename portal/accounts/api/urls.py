"""Addresses of the API of accounts, below /api/v1/."""

from django.urls import path

from portal.accounts.api import me

app_name = "accounts-api"
urlpatterns = [
    path("me/", me.Me.as_view(), name="me"),
    path("organisations/", me.Organisations.as_view(), name="organisations"),
]
