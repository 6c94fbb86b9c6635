"""Addresses of rentals."""

from django.urls import path

from rentals import views

app_name = "rentals"
urlpatterns: list = [
    path("", views.catalog.listing, name="catalog"),
]
sockets: list = []
