from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class Rentals(AppConfig):
    name = "rentals"
    verbose_name = _("Rentals")
