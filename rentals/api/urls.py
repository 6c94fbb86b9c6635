"""Addresses of the API of rentals, below /api/v1/."""

app_name = "rentals-api"
urlpatterns: list = []
