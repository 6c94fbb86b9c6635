"""Home, health and metrics."""

from django.urls import path

from portal.web import views

app_name = "web"
urlpatterns = [
    path("home/", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
]
