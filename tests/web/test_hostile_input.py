"""Whatever is sent, no page and no program gets an error of ours: every address, as each kind of person, with values that nothing can reckon with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import pytest
from django import forms
from django.db import transaction
from django.test import Client
from django.test.client import MULTIPART_CONTENT
from django.urls import reverse
from django_filters import FilterSet
from rest_framework.serializers import Serializer

from portal.accounts.domain import roles
from tests.web import access_table
from tests.web.test_access_walk import ALL, BOTH, NOW, people, stage  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db

OWN = ("portal.", "rentals.", "billing.", "monitoring.")
BESIDE_FORMS = {
    "after",
    "agreement",
    "attempt",
    "cursor",
    "lang",
    "language",
    "next",
    "q",
    "read",
    "role",
    "show",
    "span",
    "theme",
    "token",
    "unread",
    "was",
    "words",
}
TEXTS = (
    "a\x00b",
    "0001-01-01",
    "9999-12-31",
    "0001-01-01T00:00+14:00",
    "9999-12-31T23:59",
    "1e400",
    "9" * 60,
    "-1",
    "\U0001f4a5" * 40,
    "WyI5OTk5LTEyLTMxVDIzOjU5OjU5WiIsOTk5OTk5OTk5OTk5OTk5OTk5OTk5XQ",  # a cursor: the last second and a number that no column holds
    "WyJcdTAwMDAiLCJcdTAwMDAiXQ",  # a cursor: NUL characters
)
BODIES = (
    "[" * 100_000,
    '{"quantity":' + "[" * 50_000,
    "null",
    "[]",
    '"text"',
    "1e400",
    '{"quantity": 1e400, "length_hours": NaN}',
    '{"start": "\\u0000", "configuration": "\\u0000", "image": "\\u0000", "name": "\\u0000"}',
    '{"start": {"a": 1}, "zone": ["UTC"], "quantity": {}, "ssh_keys": "x", "configuration": ["a"]}',
    '{"quantity": 9' + "9" * 400 + "}",
    b"\xff\xfe",
)


def _kinds(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)


def names() -> list[str]:
    """Every name that a form, a filter or a serializer of ours reads."""
    found = set(BESIDE_FORMS)
    for kind in chain(_kinds(forms.BaseForm), _kinds(FilterSet), _kinds(Serializer)):
        if kind.__module__.startswith(OWN):
            found |= set(getattr(kind, "base_fields", ())) | set(getattr(kind, "base_filters", ())) | set(getattr(kind, "_declared_fields", ()))
    return sorted(found)


def person_for(row: access_table.Row) -> str:
    """Somebody who may come in, so that what is sent is read."""
    return next(iter(row.staff), roles.OPERATOR) if row.kind == "staff" else roles.OWNER


@pytest.fixture
def send(stage, people):  # noqa: F811
    """send(name, method, query, body, type) -> status; what it did is undone."""
    things = access_table.Things(stage.cast, NOW)

    def sent(name: str, method: str, query: dict, body: object, kind: str = MULTIPART_CONTENT) -> int:
        row = access_table.TABLE[name]
        address = reverse(name, kwargs=row.args(things))
        client = Client(raise_request_exception=False)
        client.force_login(stage.people[person_for(row)], backend="django.contrib.auth.backends.ModelBackend")
        with transaction.atomic():
            if method == "GET":
                response = client.get(address, query)
            else:
                response = client.post(address, body, content_type=kind)
            transaction.set_rollback(True)
        return response.status_code

    return sent


@pytest.mark.parametrize("name", [name for name in ALL if name in access_table.TABLE])
def test_no_text_in_an_address_or_a_form_breaks_a_page(name, send):
    row, fields = access_table.TABLE[name], names()

    broken = []
    for text in TEXTS:
        given = dict.fromkeys(fields, text)
        for method in BOTH:
            if method == "GET" or (method in row.methods and row.try_post):
                status = send(name, method, given, given)
                if status >= 500:
                    broken.append(f"{method} {text[:20]!r}: {status}")

    assert broken == []


@pytest.mark.parametrize("name", [name for name in ALL if name in access_table.TABLE and ("api" in name or "webhook" in name)])
def test_no_body_breaks_a_program(name, send):
    row = access_table.TABLE[name]

    broken = [f"{body[:30]!r}: {status}" for body in BODIES if row.try_post and (status := send(name, "POST", {}, body, "application/json")) >= 500]

    assert broken == []
