"""Keyset pages: each page begins where the one before ended, however long the list is and whatever was added meanwhile."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from portal.kernel.errors import InvalidInput
from portal.kernel.page import Page

SIZE = 50


class BadCursor(InvalidInput):
    """This address of a page is not one that the portal gave."""

    code = "bad_cursor"


def page(rows: QuerySet, *, order: str = "-pk", after: str = "", size: int = SIZE) -> Page:
    """Up to `size` of `rows` in the order of the field `order` ("-field" descending; ties by pk the same way), after the cursor. Raises BadCursor."""
    descending, field = order.startswith("-"), order.lstrip("-")
    sign = "-" if descending else ""
    count = rows.count()
    shown = rows.order_by(f"{sign}{field}", f"{sign}pk")
    found = _read(shown, field, "lt" if descending else "gt", after, size + 1)
    more = len(found) > size
    return Page(items=found[:size], next=_cursor(found[size - 1], field) if more else "", count=count)


def _read(rows: QuerySet, field: str, beyond: str, after: str, size: int) -> list:
    if not after:
        return list(rows[:size])
    value, pk = _decoded(after)
    try:
        return list(rows.filter(Q(**{f"{field}__{beyond}": value}) | Q(**{field: value, f"pk__{beyond}": pk}))[:size])
    except (ValueError, TypeError, ValidationError) as error:
        raise BadCursor(_("This address of a page is not one that the portal gave.")) from error


def _cursor(row: Any, field: str) -> str:
    text = json.dumps([row.pk if field == "pk" else getattr(row, field), row.pk], cls=DjangoJSONEncoder, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(after: str) -> tuple[Any, Any]:
    try:
        value, pk = json.loads(base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)))
        if not all(isinstance(part, (str, int)) and "\0" not in str(part) for part in (value, pk)):
            raise ValueError("neither text nor number")
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise BadCursor(_("This address of a page is not one that the portal gave.")) from error
    return value, pk
