from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class Rentals(AppConfig):
    name = "rentals"
    verbose_name = _("Rentals")

    def ready(self) -> None:
        from rentals import receivers  # noqa: F401 - importing it connects them
