from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.kernel.period import Period
from rentals.domain import limits
from rentals.domain.limits import Rule
from tests.rentals.hours import BASE, HOUR, span, spans

RULES = limits.Limits(shortest=HOUR, longest=72 * HOUR, horizon=timedelta(days=10), most_at_once=4, storage_step=5, storage_most=20)
NO_STORAGE = replace(RULES, storage_step=0, storage_most=0)


def rule(rules=RULES, *, start=1, hours=2, quantity=1, storage_tb=0):
    found = limits.broken(rules, during=span(start, start + hours), quantity=quantity, storage_tb=storage_tb, now=BASE)
    return found and (found.rule, found.field)


@pytest.mark.parametrize(
    ("wish", "broken"),
    [
        ({}, None),
        ({"quantity": 0}, (Rule.NONE_WANTED, "quantity")),
        ({"quantity": -1}, (Rule.NONE_WANTED, "quantity")),
        ({"start": -0.5}, (Rule.IN_THE_PAST, "start")),
        ({"start": 0}, None),
        ({"hours": 0.5}, (Rule.TOO_SHORT, "length")),
        ({"hours": 1}, None),
        ({"hours": 72}, None),
        ({"hours": 72.5}, (Rule.TOO_LONG, "length")),
        ({"start": 240}, None),
        ({"start": 240.5}, (Rule.TOO_FAR_AHEAD, "start")),
        ({"storage_tb": 15}, None),
        ({"storage_tb": 7}, (Rule.STORAGE_STEP, "storage_tb")),
        ({"storage_tb": -5}, (Rule.STORAGE_STEP, "storage_tb")),
        ({"storage_tb": 25}, (Rule.STORAGE_TOO_LARGE, "storage_tb")),
    ],
)
def test_a_wish_breaks_the_rule_that_it_breaks_and_names_the_field(wish, broken):
    assert rule(**wish) == broken


def test_storage_that_is_not_offered_cannot_be_wished_for():
    assert rule(NO_STORAGE) is None
    assert rule(NO_STORAGE, storage_tb=5) == (Rule.STORAGE_TOO_LARGE, "storage_tb")


def test_a_customer_has_no_more_at_one_time_than_he_may():
    others = [(span(0, 4), 2), (span(4, 8), 3)]

    assert limits.too_many(RULES, during=span(0, 4), quantity=2, others=others) is None
    assert limits.too_many(RULES, during=span(0, 5), quantity=2, others=others) == limits.Broken(Rule.TOO_MANY, "quantity", 1)
    assert limits.too_many(RULES, during=span(0, 5), quantity=1, others=[(span(2, 3), 9)]).allowed == 0


@given(spans(), st.integers(1, 6), st.lists(st.tuples(spans(), st.integers(1, 3)), max_size=5))
def test_what_is_left_under_the_cap_is_permitted_and_one_more_is_not(during, quantity, others):
    found = limits.too_many(RULES, during=during, quantity=quantity, others=others)

    if found is not None and found.allowed:
        assert limits.too_many(RULES, during=during, quantity=found.allowed, others=others) is None
        assert limits.too_many(RULES, during=during, quantity=found.allowed + 1, others=others) is not None


def test_a_start_in_the_past_is_not_now():
    assert limits.broken(RULES, during=Period.starting(BASE - HOUR, 2 * HOUR), quantity=1, storage_tb=0, now=BASE).rule is Rule.IN_THE_PAST
