from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation

from portal.kernel.money import Money
from portal.toolkit import formats

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("amount", "digits", "text"),
    [
        (Money(Decimal("1088.64"), "USD"), None, "1,088.64"),
        (Money(Decimal("0.2363"), "USD"), None, "0.2363"),
        (Money(Decimal("0.2363"), "USD"), 2, "0.24"),
        (Money(Decimal("15"), "EUR"), None, "15.00"),
        (Money(Decimal("1500"), "JPY"), None, "1,500"),
        (Money(Decimal("-12.4"), "USD"), None, "\u221212.40"),
    ],
)
def test_a_price_shows_every_digit_that_is_billed(amount, digits, text):
    assert formats.money_text(amount, digits=digits) == text


def test_a_moment_names_its_zone_and_leaves_out_the_present_year():
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert formats.moment_text(NOW, now=NOW) == "Tue 1 Dec, 10:00\u00a0UTC+1"
        assert formats.moment_text(NOW + timedelta(days=60), now=NOW) == "Sat 30 Jan 2027, 10:00\u00a0UTC+1"
        assert formats.moment_text(NOW, now=NOW, form="time") == "10:00\u00a0UTC+1"
        assert formats.moment_text(NOW, now=NOW, form="day") == "Tue 1 Dec"


def test_chinese_writes_its_own_dates_and_lengths():
    with timezone.override(ZoneInfo("Asia/Shanghai")), translation.override("zh-hans"):
        assert formats.moment_text(NOW, now=NOW, form="full") == "2026年12月1日 周二 17:00\u00a0UTC+8"
        assert formats.date_text(date(2026, 12, 1)) == "2026年12月1日"
        assert formats.length_text(timedelta(days=2, hours=3)) == "2\u00a0天 3\u00a0小时"
        assert formats.relative_text(NOW + timedelta(hours=3), now=NOW) == "3\u00a0小时后"


@pytest.mark.parametrize(("zone", "text"), [("UTC", "UTC"), ("Asia/Kolkata", "UTC+5:30"), ("America/New_York", "UTC\u22125")])
def test_an_offset_is_written_out(zone, text):
    assert formats.zone_text(NOW.astimezone(ZoneInfo(zone))) == text


@pytest.mark.parametrize(
    ("distance", "text"),
    [
        (timedelta(seconds=3), "now"),
        (timedelta(hours=3, minutes=20), "in 3\u00a0h"),
        (timedelta(minutes=-5), "5\u00a0min ago"),
        (timedelta(days=2), "in 2\u00a0d"),
    ],
)
def test_a_relative_time_is_one_unit_long(distance, text):
    assert formats.relative_text(NOW + distance, now=NOW) == text


def test_no_length_is_zero_seconds():
    assert formats.length_text(timedelta(0)) == "0\u00a0s"
