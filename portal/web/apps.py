from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class Web(AppConfig):
    default = True
    name = "portal.web"
    label = "web"


class Administration(admin_apps.AdminConfig):
    """Django's admin behind our own door."""

    default = False
    default_site = "portal.web.administration.Site"
