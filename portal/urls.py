"""Where everything is."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns = [
    path("", include("portal.web.urls")),
    path("", include("rentals.urls")),
    path("", include("monitoring.urls")),
    path("", include("billing.urls")),
    path("", include("portal.accounts.urls")),
    path("api/v1/", include("rentals.api.urls")),
    path("api/v1/", include("monitoring.api.urls")),
    path("api/v1/", include("billing.api.urls")),
    path("api/v1/", include("portal.accounts.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("account/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
