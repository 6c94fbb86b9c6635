"""Addresses of monitoring."""

app_name = "monitoring"
urlpatterns: list = []
sockets: list = []
