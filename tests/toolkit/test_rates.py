"""Limits on how often something may be done."""

import pytest
from django.core.cache import cache

from portal.toolkit import rates

LIMIT = {"most": 3, "seconds": 3600}


def test_what_is_done_more_often_than_allowed_is_refused_with_the_time_to_come_again():
    for _ in range(3):
        rates.hit(name="pay:ada", **LIMIT)

    with pytest.raises(rates.TooOften) as refusal:
        rates.hit(name="pay:ada", **LIMIT)

    assert refusal.value.status == 429
    assert 0 < refusal.value.facts["retry_after"] <= 3600


def test_a_check_counts_nothing():
    for _ in range(10):
        rates.check(name="pay:ada", **LIMIT)


def test_a_check_refuses_once_the_limit_is_reached():
    for _ in range(3):
        rates.hit(name="pay:ada", **LIMIT)

    with pytest.raises(rates.TooOften):
        rates.check(name="pay:ada", **LIMIT)


def test_the_next_window_begins_at_nought(monkeypatch):
    clock = [1_000_000.0]
    monkeypatch.setattr(rates.time, "time", lambda: clock[0])
    for _ in range(3):
        rates.hit(name="pay:ada", **LIMIT)
    clock[0] += 3600

    rates.hit(name="pay:ada", **LIMIT)


def test_a_cache_that_is_gone_stops_nobody(monkeypatch):
    def gone(*args, **kwargs):
        raise ConnectionError("no cache")

    monkeypatch.setattr(cache, "add", gone)
    monkeypatch.setattr(cache, "get", gone)

    for _ in range(5):
        rates.hit(name="pay:ada", **LIMIT)
        rates.check(name="pay:ada", **LIMIT)
