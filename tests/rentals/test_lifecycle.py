import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.kernel.transitions import IllegalMove, Transitions
from rentals.domain import lifecycle
from rentals.models import Booking, Deployment, Server

TABLES = [(lifecycle.BOOKING, Booking.State), (lifecycle.SERVER, Server.State), (lifecycle.DEPLOYMENT, Deployment.State)]


@pytest.mark.parametrize(("table", "states"), TABLES, ids=["booking", "server", "deployment"])
def test_a_table_knows_exactly_the_states_of_its_model(table: Transitions, states):
    assert table.states == set(states.values)


@pytest.mark.parametrize(("table", "_"), TABLES, ids=["booking", "server", "deployment"])
def test_a_table_leads_only_to_states_it_knows_and_never_to_itself(table: Transitions, _):
    for state, following in table.moves.items():
        assert following <= table.states - {state}


@pytest.mark.parametrize(("table", "_"), TABLES, ids=["booking", "server", "deployment"])
def test_every_state_reaches_a_final_one(table: Transitions, _):
    ends = set(table.final)
    while True:
        wider = ends | {state for state, following in table.moves.items() if following & ends}
        if wider == ends:
            break
        ends = wider

    assert ends == table.states


@given(st.lists(st.sampled_from(sorted(lifecycle.BOOKING.states)), max_size=12))
def test_no_walk_of_permitted_moves_leaves_a_final_state(wishes):
    state, finals = "held", lifecycle.BOOKING.final

    for wish in wishes:
        if lifecycle.BOOKING.permits(state, wish):
            assert state not in finals
            state = wish


def test_a_booking_that_ended_takes_no_capacity():
    assert lifecycle.LIVE_BOOKING.isdisjoint(lifecycle.BOOKING.final)
    assert lifecycle.LIVE_BOOKING | lifecycle.BOOKING.final == lifecycle.BOOKING.states


def test_an_expired_hold_is_not_confirmed():
    with pytest.raises(IllegalMove):
        lifecycle.BOOKING.check("expired", "confirmed")


def test_a_server_becomes_available_only_after_validation_verification_or_without_ever_having_been_touched():
    before = {state for state in lifecycle.SERVER.states if lifecycle.SERVER.permits(state, "available")}

    assert before == {"verifying", "validating", "reserved", "unknown"}


def test_a_deployment_that_an_engine_has_begun_is_done_only_after_its_wipe():
    assert {state for state in lifecycle.DEPLOYMENT.states if lifecycle.DEPLOYMENT.permits(state, "done")} == {"validating"}
