"""Who may see which readings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import scopes, wire
from monitoring.domain.samples import Instance, Sample
from monitoring.domain.scopes import Scope, Slice

MIG = Sample(
    "GPU-m", power=99.5, temperature=41, clock=1410, throttle=8, mig=True,
    instances=(Instance(1, "3g.40gb", 0, 4, 42, 12011, 40000), Instance(2, "3g.40gb", 4, 4, 0, 37, 40000), Instance(9, "1g.10gb", None, None, 7, 7, 7)),
)  # fmt: skip
ROWS = wire.rows((Sample("GPU-0", utilisation=10), Sample("GPU-1", utilisation=20), MIG))


def seen(scope: Scope, rows: list = ROWS) -> list[Sample]:
    return [wire.sample(row) for row in scopes.visible(rows, scope)]


def test_who_rents_the_whole_server_sees_all_of_it():
    assert seen(Scope(whole=True)) == [wire.sample(row) for row in ROWS]


def test_who_rents_nothing_sees_nothing():
    assert seen(Scope()) == []


def test_a_partition_is_its_gpus_and_no_others():
    assert [sample.gpu for sample in seen(Scope(gpus=frozenset({"GPU-1"})))] == ["GPU-1"]


def test_h9_what_one_sees_follows_the_uuid_when_the_index_order_changes():
    scope = Scope(gpus=frozenset({"GPU-1"}))

    assert seen(scope, ROWS[::-1]) == seen(scope)


def test_a_slice_shows_its_own_instance_and_nothing_of_the_neighbours():
    (board,) = seen(Scope(slices=frozenset({Slice("GPU-m", 0, 4)})))

    assert [one.gi for one in board.instances] == [1]
    assert board.mig and board.throttle == 8
    assert (board.power, board.temperature, board.clock, board.memory_used) == (None, None, None, None)


def test_a_slice_whose_instance_does_not_report_still_shows_the_state_of_its_board():
    (board,) = seen(Scope(slices=frozenset({Slice("GPU-m", 0, 4)})), wire.rows((Sample("GPU-m", power=1.0),)))

    assert board.instances == () and board.power is None


@given(st.sets(st.sampled_from(["GPU-0", "GPU-1", "GPU-m"])), st.integers(0, 7), st.integers(1, 8))
def test_no_scope_shows_a_gpu_or_an_instance_outside_of_it(gpus, start, size):
    scope = Scope(gpus=frozenset(gpus), slices=frozenset({Slice("GPU-m", start, size)}))

    for sample in seen(scope):
        assert sample.gpu in gpus | {"GPU-m"}
        if sample.gpu not in gpus:
            assert all(start <= one.start < start + size for one in sample.instances)
