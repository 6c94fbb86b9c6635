"""Every page keeps to its number of queries (style: each page has a query-count baseline)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from portal.accounts.domain import roles
from tests.web import access_table, query_counts

PAGES = sorted(name for name, row in access_table.TABLE.items() if "GET" in row.methods and not name.startswith(query_counts.OF_OTHERS) and "-api:" not in name)


def whoever_may(row: access_table.Row, cast) -> object:
    """Somebody who may open the page: the owner of Lovelace Labs, or a person of the staff."""
    if row.kind in ("public", "own", "current") or roles.OWNER in row.roles:
        return cast.ada
    return {roles.ACCOUNT_MANAGER: cast.mei, roles.FINANCE: cast.fin, roles.OPERATOR: cast.olu}[row.staff[0]]


def test_every_page_has_a_number_of_queries_that_it_keeps():
    known = {**query_counts.MOST, **query_counts.NO_PAGES}

    assert [name for name in PAGES if name not in known] == [], "add a line to tests/web/query_counts.py"


def test_every_number_belongs_to_a_page():
    assert [name for name in query_counts.MOST if name not in PAGES] == []


@pytest.mark.parametrize("name", [name for name in PAGES if name in query_counts.MOST])
def test_a_page_keeps_to_its_queries(name, cast, now, settings):
    settings.DEMO = True
    row = access_table.TABLE[name]
    things = access_table.Things(cast, now)
    assert things.racks  # a seller, prices and servers stand there whatever the page needs
    address = reverse(name, kwargs=row.args(things))
    client = Client()
    client.force_login(whoever_may(row, cast), backend="django.contrib.auth.backends.ModelBackend")
    client.get(address)  # what is read once a process (content types, templates) is not the page's

    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)

    assert response.status_code in (200, 302), response.status_code
    assert len(queries) <= query_counts.MOST[name], "\n".join(query["sql"][:200] for query in queries)
