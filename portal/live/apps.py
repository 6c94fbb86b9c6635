from django.apps import AppConfig


class Live(AppConfig):
    name = "portal.live"
    label = "live"
