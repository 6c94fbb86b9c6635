"""Served time: every second once, rounded once, whatever the clocks do."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.domain import proration
from billing.domain.proration import OverlappingUsage, Segment
from portal.kernel.money import Money
from portal.kernel.period import Period

START = datetime(2026, 12, 1, tzinfo=UTC)
ONE = Decimal(1)


def span(start: int, end: int) -> Period:
    """Seconds after the start of the booking."""
    return Period(START + timedelta(seconds=start), START + timedelta(seconds=end))


def rate(*segments: Segment, booked: Period | None = None, granule: int = 1, minimum: int = 0) -> proration.Rated:
    return proration.rate_rental(segments=segments, booked=booked or span(0, 1_000_000), granule_seconds=granule, minimum_seconds=minimum)


def served(start: int, end: int, quantity: Decimal = ONE) -> Segment:
    return Segment("unit", span(start, end), quantity)


def failed(start: int, end: int, kind: str = "interrupted") -> Segment:
    return Segment("unit", span(start, end), ONE, kind)


def test_the_granule_rounds_the_whole_rental_up_once():
    assert rate(served(0, 61), granule=60).billed_seconds == 120
    assert rate(served(0, 61), served(61, 90), served(100, 131), granule=60).billed_seconds == 180


def test_a_rental_of_whole_granules_is_not_rounded():
    assert rate(served(0, 120), granule=60).billed_seconds == 120


def test_the_minimum_term_holds_for_a_rental_that_was_served_as_agreed():
    assert rate(served(0, 60), minimum=3600).billed_seconds == 3600


def test_a_late_start_shortens_the_minimum_term():
    assert rate(served(300, 3600), booked=span(0, 3600), minimum=3600).billed_seconds == 3300


@pytest.mark.parametrize("kind", ["interrupted", "unknown"])
def test_no_minimum_term_applies_when_we_failed_to_serve(kind):
    assert rate(served(0, 1200), failed(1200, 7200, kind), booked=span(0, 7200), minimum=3600).billed_seconds == 1200


def test_nothing_served_costs_nothing():
    rated = rate(failed(0, 7200), minimum=3600, booked=span(0, 7200))

    assert (rated.billed_seconds, rated.quantity_seconds, rated.held_seconds) == (0, 0, 7200)


def test_nothing_inside_the_booked_time_costs_nothing():
    assert rate(served(10, 20), booked=span(30, 40)).billed_seconds == 0


def test_time_outside_what_was_booked_is_not_billed():
    assert rate(served(0, 5000), booked=span(100, 1100)).served_seconds == 1000


def test_an_interruption_inside_served_time_is_taken_out():
    assert rate(served(0, 1000), failed(200, 300), failed(250, 400), failed(900, 2000)).served_seconds == 700


def test_an_interruption_at_either_end_is_taken_out():
    assert rate(served(100, 200), failed(50, 120), failed(180, 300)).served_seconds == 60
    assert rate(served(100, 200), failed(50, 300)).served_seconds == 0
    assert rate(served(100, 200), failed(300, 400)).served_seconds == 100


def test_a_second_served_twice_is_an_error():
    with pytest.raises(OverlappingUsage):
        rate(served(0, 100), served(99, 200))


def test_what_rounding_adds_is_billed_at_the_last_quantity():
    assert rate(served(0, 60, Decimal(5)), served(60, 90, Decimal(2)), granule=60).quantity_seconds == 60 * 5 + 30 * 2 + 30 * 2


def test_each_rental_of_a_line_is_rounded_on_its_own():
    segments = [Segment("b", span(0, 61), ONE), Segment("a", span(0, 1), ONE)]

    rated = proration.rate_line(segments=segments, booked=span(0, 1000), granule_seconds=60, minimum_seconds=0)

    assert [(item.rental, item.billed_seconds) for item in rated] == [("a", 60), ("b", 120)]


def test_the_length_held_counts_what_we_failed_to_serve():
    assert rate(served(100, 200), failed(200, 250)).held_seconds == 250


def hours_at(rate_text: str, start: datetime, end: datetime) -> tuple[int, Money]:
    booked = Period(start, end)
    rated = proration.rate_rental(segments=[Segment("unit", booked, ONE)], booked=booked, granule_seconds=1, minimum_seconds=0)
    return rated.billed_seconds // 3600, proration.amount(rate=Money(Decimal(rate_text), "USD"), quantity_seconds=rated.quantity_seconds)


def test_a_rental_over_the_end_of_summer_time_is_billed_by_absolute_hours():
    """M3: subtracting wall times gives 8 h."""
    york = ZoneInfo("America/New_York")

    assert hours_at("10", datetime(2022, 11, 5, 23, tzinfo=york), datetime(2022, 11, 6, 7, tzinfo=york)) == (9, Money(Decimal("90"), "USD"))


@pytest.mark.parametrize(
    ("zone", "start", "end", "hours"),
    [
        ("Europe/Berlin", (2026, 3, 29), (2026, 3, 30), 23),
        ("Europe/Berlin", (2026, 10, 25), (2026, 10, 26), 25),
        ("Europe/Berlin", (2026, 3, 1), (2026, 4, 1), 743),
        ("Europe/Berlin", (2026, 10, 1), (2026, 11, 1), 745),
        ("Asia/Shanghai", (2026, 3, 29), (2026, 3, 30), 24),
    ],
)
def test_local_days_and_months_have_the_hours_they_have(zone, start, end, hours):
    where = ZoneInfo(zone)

    assert hours_at("1", datetime(*start, tzinfo=where), datetime(*end, tzinfo=where))[0] == hours


def test_hours_are_printed_to_six_decimals():
    assert proration.hours(Decimal(100)) == Decimal("0.027778")


@given(
    cuts=st.lists(st.integers(1, 999_999_999), max_size=8),
    granule=st.sampled_from([1, 60, 3600]),
    minimum=st.sampled_from([0, 3600]),
    rate_text=st.decimals(Decimal("0.000001"), Decimal(1000), places=6),
    holes=st.lists(st.tuples(st.integers(0, 900), st.integers(1, 100)), max_size=3),
)
def test_splitting_a_segment_anywhere_changes_nothing(cuts, granule, minimum, rate_text, holes):
    whole = Period(START, START + timedelta(microseconds=1_000_000_000))
    points = [whole.start, *sorted({START + timedelta(microseconds=cut) for cut in cuts}), whole.end]
    parts = [Segment("unit", Period(start, end), ONE) for start, end in zip(points, points[1:], strict=False)]
    faults = [failed(start, start + length) for start, length in holes]

    def amount(segments):
        rated = proration.rate_rental(segments=[*segments, *faults], booked=whole, granule_seconds=granule, minimum_seconds=minimum)
        return rated.billed_seconds, proration.amount(rate=Money(rate_text, "USD"), quantity_seconds=rated.quantity_seconds).amount

    assert amount([Segment("unit", whole, ONE)]) == amount(parts)


@given(st.permutations([served(0, 10), served(10, 25), served(40, 41), failed(5, 7), failed(41, 60, "unknown")]))
def test_the_order_in_which_usage_is_reported_changes_nothing(segments):
    assert rate(*segments, granule=7) == rate(served(0, 10), served(10, 25), served(40, 41), failed(5, 7), failed(41, 60, "unknown"), granule=7)
