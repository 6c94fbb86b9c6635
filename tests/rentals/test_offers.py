"""Choosing among offers, and calendar days."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.kernel.money import Money
from portal.kernel.period import Period
from rentals.domain import days, offers
from rentals.domain.availability import Availability, Step
from rentals.domain.offers import Filters, GpuGroup, Offer

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def offer(sku: str = "a100", **changes) -> Offer:
    facts = {
        "sku": sku,
        "name": "8 × A100 80 GB",
        "other_name": "八卡 A100",
        "summary": "One server",
        "template": "single_node",
        "rank": 10,
        "gpus": (GpuGroup("A100", "A100-SXM4-80GB", 8, 80),),
        "memory_gb": 640,
        "link": "NVSwitch",
        "link_gbs": Decimal(600),
        "ram_gb": 2048,
        "nvme_tb": Decimal("30.72"),
        "rate": Money(Decimal("15.12"), "USD"),
        "total": 4,
        "starts_at": NOW,
        "free_now": 3,
        "next_free_at": NOW,
    }
    return Offer(**facts | changes)


A100 = offer()
T4 = offer("t4", name="4 × T4", other_name="", rank=20, gpus=(GpuGroup("T4", "T4", 4, 16),), memory_gb=64, link="PCIe", rate=Money(Decimal("1.60"), "USD"))
SLICE = offer(
    "mig", name="slice", other_name="", rank=30, gpus=(GpuGroup("A100", "A100", 1, 5, slices=1),), memory_gb=5, link="none", rate=None, next_free_at=None
)
MIXED = offer("mixed", rank=40, gpus=(GpuGroup("A100", "A100", 4, 40), GpuGroup("V100", "V100", 8, 32)), next_free_at=NOW + timedelta(days=1), free_during=0)
ALL = [A100, T4, SLICE, MIXED]


def skus(**filters) -> list[str]:
    return [each.sku for each in offers.select(ALL, Filters(**filters)).offers]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, ["a100", "t4", "mig", "mixed"]),
        ({"gpu": frozenset({"V100"})}, ["mixed"]),
        ({"gpu": frozenset({"V100", "T4"})}, ["t4", "mixed"]),
        ({"count": frozenset({"slice"})}, ["mig"]),
        ({"count": frozenset({"8", "12+"})}, ["a100", "mixed"]),
        ({"link": frozenset({"PCIe"})}, ["t4"]),
        ({"memory": 100}, ["a100", "mixed"]),
        ({"price": Decimal(2)}, ["t4"]),
        ({"needs_dates": True}, []),
        ({"words": "a100 SERVER"}, ["a100", "mig", "mixed"]),
        ({"words": "八卡"}, ["a100", "mixed"]),
        ({"words": "nothing"}, []),
        ({"gpu": frozenset({"V100"}), "link": frozenset({"PCIe"})}, []),
    ],
)
def test_options_widen_and_facets_narrow(filters, found):
    assert skus(**filters) == found


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("recommended", ["a100", "t4", "mig", "mixed"]),
        ("price", ["t4", "a100", "mixed", "mig"]),
        ("gpu_price", ["t4", "mixed", "a100", "mig"]),
        ("memory", ["a100", "mixed", "t4", "mig"]),
        ("free", ["a100", "t4", "mixed", "mig"]),
        ("nonsense", ["a100", "t4", "mig", "mixed"]),
    ],
)
def test_what_has_no_price_or_date_stands_last(sort, order):
    assert skus(sort=sort) == order


def test_an_option_counts_what_it_would_leave_beside_the_other_facets():
    selection = offers.select(ALL, Filters(gpu=frozenset({"T4"}), link=frozenset({"PCIe", "NVSwitch"})))

    assert [(option.value, option.count, option.chosen) for option in selection.gpu] == [("A100", 2, False), ("T4", 1, True), ("V100", 1, False)]
    assert [(option.value, option.count) for option in selection.link] == [("NVSwitch", 0), ("PCIe", 1), ("none", 0)]


def test_a_slice_has_no_price_for_a_whole_gpu():
    assert A100.gpu_rate == Money(Decimal("1.89"), "USD")
    assert offer(gpus=SLICE.gpus).gpu_rate is None
    assert offer(rate=None).gpu_rate is None


@pytest.mark.parametrize(("count", "bucket"), [(1, "1"), (2, "2-4"), (4, "2-4"), (8, "8"), (12, "12+"), (16, "12+")])
def test_offers_are_sorted_into_buckets_by_their_number_of_gpus(count, bucket):
    assert offer(gpus=(GpuGroup("A100", "A100", count, 80),)).bucket == bucket


@given(st.integers(0, 25), st.integers(1, 7))
def test_pages_show_each_offer_once(count, size):
    every = [offer(f"o{index}", rank=index) for index in range(count)]
    seen, after = [], ""
    for _ in range(count + 1):
        items, after = offers.page(every, after, size)
        seen += items
        if not after:
            break

    assert seen == every


def test_an_unknown_cursor_begins_at_the_start():
    assert offers.page(ALL, "gone", 2)[0] == ALL[:2]


@pytest.mark.parametrize(("least", "most", "level"), [(0, 0, "none"), (0, 2, "part"), (1, 4, "few"), (2, 4, "free")])
def test_a_day_has_a_level(least, most, level):
    assert offers.Day(date(2026, 12, 1), least, most, 4).level == level


def availability(*steps: tuple[datetime, datetime, int]) -> Availability:
    return Availability("a100", 4, NOW, 0, None, tuple(Step(*step) for step in steps))


def test_a_day_shows_the_fewest_and_the_most():
    berlin = ZoneInfo("Europe/Berlin")
    noon = datetime(2026, 12, 2, 11, 0, tzinfo=UTC)
    found = availability((NOW, noon, 4), (noon, NOW + timedelta(days=30), 1))

    shown = days.days_of(found, date(2026, 12, 1), 3, berlin)

    assert [(day.on.day, day.least, day.most) for day in shown] == [(1, 4, 4), (2, 1, 4), (3, 1, 1)]


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 12, 1), 24)])
def test_a_day_is_as_long_as_its_clocks_make_it(day, hours):
    assert days.span_of(day, 1, ZoneInfo("Europe/Berlin")).length == timedelta(hours=hours)


@given(st.dates(date(2026, 1, 1), date(2027, 12, 31)), st.integers(1, 40), st.sampled_from(["UTC", "Europe/Berlin", "Asia/Shanghai", "America/Sao_Paulo"]))
def test_days_follow_one_another_without_a_gap(first, count, zone):
    zone = ZoneInfo(zone)
    spans = [days.span_of(first + timedelta(days=offset), 1, zone) for offset in range(count)]

    assert all(one.end == other.start for one, other in zip(spans, spans[1:], strict=False))
    assert Period(spans[0].start, spans[-1].end) == days.span_of(first, count, zone)
