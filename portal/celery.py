"""The Celery application. Tasks live in each app's tasks module and are rung by name."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

from celery import Celery  # noqa: E402 - the settings must be named first

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["portal.accounts", "billing", "rentals", "monitoring"])
