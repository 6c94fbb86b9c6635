"""Addresses of the API of rentals, below /api/v1/."""

from django.urls import path

from rentals.api import bookings

app_name = "rentals-api"
urlpatterns = [
    path("bookings/", bookings.Bookings.as_view(), name="bookings"),
    path("bookings/<str:number>/", bookings.Booking.as_view(), name="booking"),
    path("bookings/<str:number>/end/", bookings.End.as_view(), name="booking-end"),
    path("bookings/<str:number>/release/", bookings.Release.as_view(), name="booking-release"),
]
