from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class Billing(AppConfig):
    name = "billing"
    verbose_name = _("Billing")
