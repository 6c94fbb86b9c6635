"""The node that does not exist behaves like one that does."""

from __future__ import annotations

import statistics

import pytest

from monitoring.agent.simulated import LOST_AFTER, LOST_EVERY, LOST_FOR, WORKLOADS, Board, Simulated, Slot
from monitoring.domain import wire
from monitoring.domain.samples import Batch, State

START = 1_796_115_600.0
BOARDS = [Board(f"GPU-{i}", "A100-SXM4-80GB", 81920, 400) for i in range(8)]
MIG = Board("GPU-m", "A100-SXM4-80GB", 81920, 400, (Slot(1, "3g.40gb", 0, 4, 40448), Slot(2, "3g.40gb", 4, 4, 40448)))


def watched(seconds: int, **options) -> list:
    source = Simulated(**{"seed": "srv-a1", "boards": BOARDS, **options})
    return [source.read(at=START + second) for second in range(seconds)]


def test_the_same_seed_and_times_give_the_same_readings():
    assert [look.samples for look in watched(50)] == [look.samples for look in watched(50)]
    assert [look.samples for look in watched(50)] != [look.samples for look in watched(50, seed="srv-a2")]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_whatever_it_simulates_the_portal_takes_it_as_it_is(workload):
    for second, look in enumerate(watched(300, workload=workload, boards=[*BOARDS[:2], MIG])):
        batch = Batch("srv-a1", "simulated", "boot", second, START + second, tuple(look.samples))
        assert wire.from_wire(wire.to_wire(batch), START + second) == batch


def test_power_follows_utilisation_and_temperature_follows_power():
    looks = [look.samples[0] for look in watched(600, workload="training")]
    busy = [one for one in looks[60:] if one.utilisation is not None and one.utilisation > 85 and one.power and one.temperature]

    assert statistics.mean(one.power for one in busy) > 300
    assert looks[0].power < 200  # it starts cold
    assert max(one.temperature for one in busy) > 60 > 40 > looks[0].temperature


def test_an_idle_node_is_cool_quiet_and_says_idle():
    last = watched(200, workload="idle")[-1].samples[1]

    assert (last.utilisation, last.throttle) == (0, 1)
    assert last.power < 80 and last.temperature < 45


def test_now_and_then_a_reading_is_missing_for_a_few_seconds():
    looks = watched(600)
    holes = [one for look in looks for one in look.samples if None in (one.utilisation, one.power, one.temperature)]

    assert 0 < len(holes) < 0.08 * 600 * 8
    assert all(one.memory_used is not None for one in holes)


def test_h2_a_mig_board_has_instances_and_no_utilisation_of_its_own():
    board = watched(30, boards=[MIG])[-1].samples[0]

    assert board.mig and board.utilisation is None and board.memory_used is None
    assert [(one.gi, one.start, one.size) for one in board.instances] == [(1, 0, 4), (2, 4, 4)]
    assert all(0 <= one.utilisation <= 100 and 0 < one.memory_used <= 40448 for one in board.instances)


def test_the_lost_gpu_falls_off_the_bus_tells_it_once_and_returns():
    looks = watched(LOST_AFTER + LOST_FOR + 5, scenario="lost-gpu")
    states = [look.samples[-1].state for look in looks]

    assert states == [State.OK] * LOST_AFTER + [State.LOST] * LOST_FOR + [State.OK] * 5
    assert [event.code for look in looks for event in look.events] == ["xid-79"]
    assert looks[LOST_AFTER].samples[-1].power is None
    assert LOST_EVERY > LOST_AFTER + LOST_FOR


def test_a_board_is_read_from_the_fleet_file():
    entry = {"uuid": "GPU-m", "model": "A100-SXM4-80GB", "memory_mib": 81920, "tdp": 400}

    assert Board.read({**entry, "mig": None}).mig == ()
    cut = {"gi": 1, "profile": "3g.40gb", "start": 0, "size": 4, "memory_mib": 40448}
    assert Board.read({**entry, "mig": [cut]}).mig == (MIG.mig[0],)
