"""The catalog and the page of one Configuration, as a visitor and as a customer see them."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from rentals.models import Component, Configuration, UnitKind
from rentals.services import catalog

pytestmark = pytest.mark.django_db


@pytest.fixture
def stocked(cast):
    """The data files, with the demo fleet since yesterday: pages look at the real clock."""
    yesterday = timezone.now() - timedelta(days=1)
    catalog.load(now=yesterday)
    catalog.add_demo_fleet(now=yesterday)


def names(response) -> list[str]:
    return re.findall(r'<h2><a href="/catalog/([^/]+)/"', response.content.decode())


def test_a_visitor_sees_ten_configurations_a_page_with_price_and_stock(client, stocked):
    response = client.get("/")

    html = response.content.decode()
    assert len(names(response)) == 10
    assert "18 configurations" in html
    assert "15.12" in html and "free now: 4" in html


def test_the_next_page_goes_on_where_the_first_ended(client, stocked):
    first = client.get("/")

    second = client.get(f"/?after={names(first)[-1]}")

    assert len(names(second)) == 8
    assert not set(names(first)) & set(names(second))


FOUND = {
    "gpu=H100": ["h100-80-x8"],
    "gpu=H100&gpu=GH200": ["h100-80-x8", "gh200-96"],
    "count=slice&sort=price": ["a100-40-1g", "a100-40-2g", "a100-40-3g"],
    "link=PCIe": ["l40s-x8", "l4-x8", "t4-x4"],
    "q=grace+hopper": ["gh200-96"],
    "price=1": ["a100-40-1g", "a100-40-2g", "a100-40-3g"],
    "memory=640&gpu=V100": [],
    "price=nonsense&gpu=T4": ["a100x4-t4x4", "t4-x4"],
    "start=2026-13-99&gpu=GH200": ["gh200-96"],
}


def test_the_address_filters_and_what_cannot_be_read_does_not(client, stocked, subtests):
    for query, found in FOUND.items():
        with subtests.test(query):
            assert names(client.get(f"/?{query}")) == found


def test_dates_leave_what_is_free_on_all_of_them(client, stocked):
    day = (timezone.now() + timedelta(days=3)).date().isoformat()

    assert len(names(client.get(f"/?start={day}&days=2&gpu=H100"))) == 1
    assert names(client.get("/?start=2020-01-01&gpu=H100")) == []


def test_nothing_found_teaches_the_way_out(client, stocked):
    assert "Clear all" in client.get("/?q=nothing-like-this").content.decode()


def test_htmx_gets_the_list_the_count_and_the_facets_but_no_frame(client, stocked):
    html = client.get("/?gpu=H100", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in html
    assert html.count("hx-swap-oob") == 4
    assert 'id="offers"' in html


def test_prices_come_in_the_chosen_currency_and_a_customers_own(client, stocked, cast):
    assert "14.00" in client.get("/?currency=EUR&gpu=A100").content.decode()

    cast.lab.currency = "CNY"
    cast.lab.save()
    client.force_login(cast.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert "109.00" in client.get("/").content.decode()


def test_chinese_readers_read_chinese_names(client, stocked):
    client.cookies["django_language"] = "zh-hans"

    html = client.get("/").content.decode()

    assert "4 × A100 + 8 × V100（弹性）" in html and "现在空闲：4" in html


@pytest.mark.parametrize("who", ["visitor", "ada"])
def test_forty_configurations_cost_no_more_queries_than_ten(client, stocked, cast, who):
    if who == "ada":
        client.force_login(cast.ada, backend="django.contrib.auth.backends.ModelBackend")
    Configuration.objects.exclude(sku__in=Configuration.objects.order_by("rank").values("sku")[:10]).update(is_offered=False)
    client.get("/")
    with CaptureQueriesContext(connection) as few:
        client.get("/")
    kind = UnitKind.objects.get(sku="a100-80-x8")
    for index in range(30):
        more = Configuration.objects.create(sku=f"more-{index}", name="x", name_zh="x", summary="x", summary_zh="x", template="single_node", source="tests")
        Component.objects.create(configuration=more, unit_kind=kind, count=1)

    with CaptureQueriesContext(connection) as many:
        response = client.get("/")

    assert "40 configurations" in response.content.decode()
    assert len(many) == len(few) <= 8


def test_a_configuration_tells_facts_sources_prices_and_days(client, stocked):
    html = client.get("/catalog/a100x4-v100x8/").content.decode()

    assert "A100-SXM4-40GB" in html and "V100-SXM2-32GB" in html
    assert 'id="source-1"' in html
    assert "11.52" in html
    assert html.count("#configure") >= 28
    assert "<desc" in html


def test_every_configuration_has_its_page_in_both_languages(client, stocked, subtests):
    for sku in Configuration.objects.values_list("sku", flat=True):
        for language in ("en", "zh-hans"):
            with subtests.test(sku, language=language):
                client.cookies["django_language"] = language
                assert client.get(f"/catalog/{sku}/").status_code == 200


def test_a_configuration_that_is_not_offered_is_not_found(client, stocked):
    Configuration.objects.filter(sku="t4-x4").update(is_offered=False)

    assert client.get("/catalog/t4-x4/").status_code == 404
    assert client.get("/catalog/nothing/").status_code == 404


def test_a_configuration_without_a_price_or_stock_says_so(client, cast, now):
    catalog.load(now=now)

    html = client.get("/catalog/a100-80-x8/?currency=EUR").content.decode()

    assert "booked out for the next 180 days" in html and "14.00" in html
    assert "booked out" in client.get("/").content.decode()


def test_a_price_that_is_missing_is_told_and_is_never_zero(client, racks):
    html = client.get(f"/catalog/{racks.mixed.sku}/?currency=EUR").content.decode()

    assert "There is no price in EUR" in html
    assert "no price in EUR" in client.get("/?currency=EUR").content.decode()
