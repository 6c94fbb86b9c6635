"""How the API reads what a program sends. Apart from api.py: the settings name it, and DRF's views read the settings while they are imported."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from rest_framework import exceptions, parsers


class Json(parsers.JSONParser):
    """JSON that can be read: one that is nested without end is refused like any other that cannot."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as error:
            raise exceptions.ParseError(gettext("This JSON is nested too deeply.")) from error
