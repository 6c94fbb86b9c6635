from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from rentals.domain.usage import INTERRUPTED, SERVED, Segment, segments
from tests.rentals.hours import at, hours, span, spans


def told(**facts):
    return [(segment.during, segment.kind) for segment in segments(**facts)]


def test_a_server_that_was_ready_in_time_is_served_from_start_to_end():
    assert told(booked=span(10, 12), ready_at=at(9.5), until=at(13)) == [(span(10, 12), SERVED)]


def test_a_late_server_is_served_from_ready_on():
    assert told(booked=span(10, 12), ready_at=at(10.5), until=at(12)) == [(span(10.5, 12), SERVED)]


def test_an_early_hand_back_ends_the_service():
    assert told(booked=span(10, 12), ready_at=at(10), until=at(11)) == [(span(10, 11), SERVED)]


def test_what_was_never_ready_or_only_after_the_end_was_not_served():
    assert told(booked=span(10, 12), ready_at=None, until=at(12)) == []
    assert told(booked=span(10, 12), ready_at=at(12), until=at(13)) == []
    assert told(booked=span(10, 12), ready_at=at(9), until=at(10)) == []


def test_a_server_that_vanished_is_served_until_then():
    assert told(booked=span(10, 12), ready_at=at(10), until=at(12), gone=[(at(10 + 20 / 60), None)]) == [
        (span(10, 10 + 20 / 60), SERVED),
        (span(10 + 20 / 60, 12), INTERRUPTED),
    ]


def test_a_server_that_came_back_is_served_again():
    assert told(booked=span(10, 14), ready_at=at(10), until=at(14), gone=[(at(11), at(12)), (at(9), at(10.5))]) == [
        (span(10, 10.5), INTERRUPTED),
        (span(10.5, 11), SERVED),
        (span(11, 12), INTERRUPTED),
        (span(12, 14), SERVED),
    ]


def test_a_loss_noticed_after_the_hand_back_and_an_empty_one_change_nothing():
    assert told(booked=span(10, 12), ready_at=at(10), until=at(11), gone=[(at(11.5), None), (at(10.5), at(10.5))]) == [(span(10, 11), SERVED)]


@given(spans(), hours, hours, st.lists(st.tuples(hours, st.one_of(st.none(), hours)), max_size=4))
def test_every_second_held_lies_in_exactly_one_segment(booked, ready, until, gone):
    cut = segments(booked=booked, ready_at=at(ready), until=at(until), gone=[(at(start), None if end is None else at(end)) for start, end in gone])

    held = max(timedelta(0), min(booked.end, at(until)) - max(booked.start, at(ready)))
    assert sum((segment.during.length for segment in cut), timedelta(0)) == held
    assert all(one.during.end == other.during.start for one, other in zip(cut, cut[1:], strict=False))
    for segment in cut:
        middle = segment.during.start + segment.during.length / 2
        lost = any(at(start) <= middle and (end is None or middle < at(end)) for start, end in gone)
        assert segment == Segment(segment.during, INTERRUPTED if lost else SERVED)
