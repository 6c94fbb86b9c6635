from celery import current_app
from django.apps import AppConfig


class Toolkit(AppConfig):
    name = "portal.toolkit"
    label = "toolkit"

    def ready(self) -> None:
        # Whoever rings (the web server, a command, a test) must know the broker, also where portal.celery was never imported.
        current_app.config_from_object("django.conf:settings", namespace="CELERY")
