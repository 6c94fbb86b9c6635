"""Addresses of monitoring."""

from django.urls import path

from monitoring.consumers import live as consumers
from monitoring.views import live

app_name = "monitoring"
urlpatterns = [
    path("live/<str:number>/", live.booking, name="live"),
    path("live/<str:number>/history/", live.booking_history, name="live-history"),
    path("live/<str:number>/strip/", live.strip, name="live-strip"),
    path("operate/servers/<slug:serial>/live/", live.server, name="server-live"),
    path("operate/servers/<slug:serial>/live/history/", live.server_history, name="server-live-history"),
]
sockets = [
    path("ws/live/<str:number>/", consumers.BookingReadings.as_asgi()),
    path("ws/operate/servers/<slug:serial>/live/", consumers.ServerReadings.as_asgi()),
]
