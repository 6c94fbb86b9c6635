"""Whatever the order in which the gateway's events arrive, however often, and whatever had happened by then: the end state is one (design.md 4.10)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.models import Agreement, Announcement, Document, GatewayEvent, Payment, Refund
from billing.queries import audits
from billing.services import agreements
from tests.billing.counter import Counter, books_of
from tests.billing.vendor import Vendor

Step = Callable[[Vendor], object]
PAY: Step = lambda vendor: vendor.card("cs_1")  # noqa: E731 - a step reads better in the list than as a function
STORIES: dict[str, list[Step]] = {
    "paid": [PAY],
    "declined twice, then paid": [lambda v: v.card("cs_1", "failed", "generic_decline"), lambda v: v.card("cs_1", "failed", "insufficient_funds"), PAY],
    "asked to confirm, processing, then paid": [
        lambda v: v.card("cs_1", "requires_action"),
        lambda v: v.card("cs_1", "processing"),
        lambda v: v.settle("pi_1"),
    ],
    "processing, then failed": [lambda v: v.card("cs_1", "processing"), lambda v: v.settle("pi_1", "failed", "generic_decline")],
    "declined, then left until it expired": [lambda v: v.card("cs_1", "failed", "generic_decline"), lambda v: v.expire("cs_1")],
    "paid, refunded in two parts at the gateway": [PAY, lambda v: v.give_back("pi_1", 5000), lambda v: v.give_back("pi_1", 700)],
    "paid, refunded at the gateway, and the refund failed": [PAY, lambda v: v.give_back("pi_1", 5000), lambda v: v.settle_refund("re_1", "failed")],
}


@pytest.fixture(params=STORIES)
def story(request) -> list[Step]:
    return STORIES[request.param]


@pytest.fixture(params=["waiting", "lapsed"])
def started(request, counter: Counter) -> Counter:
    """A checkout is open for an Agreement that waits for its payment, or whose hold has ended meanwhile."""
    number = counter.order()
    counter.start(number)
    counter.number = number
    if request.param == "lapsed":
        agreements.lapse(number=number, now=counter.now)
    return counter


def deliveries(draw, vendor: Vendor, least_once: bool) -> list:
    """Some of the events there are so far, in any order, with repeats; each of them at least once when `least_once`."""
    extra = draw(st.lists(st.sampled_from(vendor.events), max_size=3)) if vendor.events else []
    return draw(st.permutations([*(vendor.events if least_once else []), *extra]))


def play(counter: Counter, steps: list[Step], arrivals: Iterator[list]) -> dict:
    """Play the story; between its steps, before and after the refunds are sent, deliver what arrives; then the sweeper comes by. Returns what is left behind
    in our books."""
    for step in steps:
        step(counter.vendor)
        for event in next(arrivals):
            counter.deliver(event)
    for event in next(arrivals):
        counter.deliver(event)
    counter.send_refunds()
    for event in next(arrivals):
        counter.deliver(event)
    counter.sweep(later=4000)
    return end_state(counter.number)


def end_state(number: str) -> dict:
    return {
        "agreement": Agreement.objects.get().state,
        "payments": list(Payment.objects.order_by("id").values_list("state", "captured_minor", "refunded_minor")),
        "refunds": sorted(Refund.objects.values_list("state", "amount_minor")),
        "documents": [(row.kind, row.status.paid_minor, row.status.refunded_minor) for row in Document.objects.order_by("id")],
        "books": books_of(number),
        "said": sorted(Announcement.objects.exclude(kind="payment_failed").values_list("kind", flat=True)),
        "audit": audits.audit(),
        "open events": GatewayEvent.objects.filter(processed_at__isnull=True).count(),
    }


def undone(act: Callable[[], dict]) -> dict:
    """What `act` returns; what it wrote is taken back."""
    with transaction.atomic():
        result = act()
        transaction.set_rollback(True)
    return result


def hold_for_any_order(counter: Counter, story: list[Step], data) -> None:
    untouched = copy.deepcopy(counter.vendor)

    def in_order() -> Iterator[list]:
        told = 0
        while True:
            news, told = counter.vendor.events[told:], len(counter.vendor.events)
            yield news

    def in_any_order() -> Iterator[list]:
        for _ in story:
            yield deliveries(data.draw, counter.vendor, least_once=False)
        while True:
            yield deliveries(data.draw, counter.vendor, least_once=True)

    try:
        wanted = undone(lambda: play(counter, story, in_order()))
        counter.vendor = copy.deepcopy(untouched)
        found = undone(lambda: play(counter, story, in_any_order()))
    finally:
        counter.vendor = untouched

    assert found == wanted
    assert found["audit"] == []


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_order_and_repetition_of_events_ends_in_the_same_state(started: Counter, story: list[Step], data):
    hold_for_any_order(started, story, data)


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_order_and_repetition_of_events_ends_in_the_same_state_at_length(started: Counter, story: list[Step], data):
    hold_for_any_order(started, story, data)
