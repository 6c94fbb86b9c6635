from django.apps import AppConfig


class Toolkit(AppConfig):
    name = "portal.toolkit"
    label = "toolkit"
