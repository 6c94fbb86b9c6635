"""How payments and refunds move when they are seen again."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from billing.domain import payments as moves

STATES = st.sampled_from([moves.STARTED, moves.PROCESSING, moves.ACTION, moves.SUCCEEDED, moves.FAILED, moves.CANCELLED])
REFUND_STATES = st.sampled_from(sorted(moves.REFUND_RANK))


@given(current=STATES, seen=STATES, newer=st.booleans())
def test_money_that_came_is_never_taken_back_and_always_comes_through(current, seen, newer):
    after = moves.payment_after(current=current, seen=seen, newer=newer)

    assert (after == moves.SUCCEEDED) == (moves.SUCCEEDED in (current, seen))


def test_of_two_looks_without_money_the_newer_is_right():
    assert moves.payment_after(current=moves.PROCESSING, seen=moves.FAILED, newer=True) == moves.FAILED
    assert moves.payment_after(current=moves.FAILED, seen=moves.PROCESSING, newer=False) == moves.FAILED


@given(news=st.lists(REFUND_STATES, min_size=1), data=st.data())
def test_a_refund_ends_in_the_same_state_whatever_the_order_of_the_news(news, data):
    def told(order):
        state = moves.WANTED
        for seen in order:
            state = moves.refund_after(current=state, seen=seen)
        return state

    assert told(news) == told(data.draw(st.permutations(news)))


def test_a_bank_may_fail_what_had_succeeded_but_not_the_other_way_round():
    assert moves.refund_after(current=moves.SUCCEEDED, seen=moves.FAILED) == moves.FAILED
    assert moves.refund_after(current=moves.FAILED, seen=moves.SUCCEEDED) == moves.FAILED


def test_pauses_grow_and_then_stay():
    looks = [moves.pause_before_look(looks=number) for number in range(10)]
    retries = [moves.pause_before_retry(attempts=number) for number in range(1, 10)]

    assert looks == sorted(looks)
    assert retries == sorted(retries)
    assert (looks[-1], retries[-1]) == (timedelta(minutes=10), timedelta(hours=1))
