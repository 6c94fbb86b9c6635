from django.apps import AppConfig


class Web(AppConfig):
    name = "portal.web"
    label = "web"
