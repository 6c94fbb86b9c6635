"""Addresses of accounts."""

from django.urls import path

from portal.accounts import views

app_name = "accounts"
urlpatterns = [
    path("organisations/new/", views.organisation_new, name="organisation-new"),
    path("organisations/<str:number>/", views.organisation, name="organisation"),
    path("organisations/<str:number>/edit/", views.organisation_edit, name="organisation-edit"),
    path("organisations/<str:number>/switch/", views.organisation_switch, name="organisation-switch"),
]
