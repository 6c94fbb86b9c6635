"""Home, health and metrics; what the shell itself needs."""

from django.urls import path

from portal.web import views

app_name = "web"
urlpatterns = [
    path("home/", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("metrics", views.metrics, name="metrics"),
    path("preferences/theme/", views.theme, name="theme"),
    path("preferences/language/", views.language, name="language"),
    path("api/", views.api_docs, name="api-docs"),
    path("demo/mail/", views.demo_mails, name="demo-mails"),
    path("demo/mail/<str:name>/", views.demo_mail, name="demo-mail"),
    path("demo/components/", views.components, name="components"),
]
