"""Addresses of the API of rentals, below /api/v1/."""

from django.urls import path

from rentals.api import bookings, catalog

app_name = "rentals-api"
urlpatterns = [
    path("catalog/", catalog.Catalog.as_view(), name="catalog"),
    path("catalog/<slug:sku>/", catalog.Configuration.as_view(), name="configuration"),
    path("catalog/<slug:sku>/availability/", catalog.Availability.as_view(), name="availability"),
    path("catalog/<slug:sku>/price/", catalog.Price.as_view(), name="price"),
    path("bookings/", bookings.Bookings.as_view(), name="bookings"),
    path("bookings/<str:number>/", bookings.Booking.as_view(), name="booking"),
    path("bookings/<str:number>/end/", bookings.End.as_view(), name="booking-end"),
    path("bookings/<str:number>/release/", bookings.Release.as_view(), name="booking-release"),
]
