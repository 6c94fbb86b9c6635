"""One reading a second, in order, whatever the clock does."""

from __future__ import annotations

import threading
import time

from monitoring.agent.delivery import Waiting
from monitoring.agent.loop import Agent, Run, keep_ticking
from monitoring.agent.simulated import Board, Simulated
from monitoring.domain import samples
from monitoring.domain.readings import Reading
from monitoring.domain.samples import Position, Sample


class Clock:
    def __init__(self) -> None:
        self.wall, self.steady = 1_796_115_600.0, 50.0

    def pass_by(self, seconds: float) -> None:
        self.wall, self.steady = self.wall + seconds, self.steady + seconds

    def run(self) -> Run:
        return Run(wall=lambda: self.wall, steady=lambda: self.steady)


class Chatty:
    name = "simulated"

    def read(self, *, at: float) -> Reading:
        return Reading(samples=[Sample(f"GPU-{i}") for i in range(20)], warnings=["a cable is loose"])

    def close(self) -> None:
        pass


def test_batches_of_one_run_follow_one_another():
    clock = Clock()
    run = clock.run()
    agent = Agent(server="srv-a1", source=Simulated(seed="s", boards=[Board("GPU-0", "A100", 81920, 400)]), waiting=Waiting(), run=run)

    batches = []
    for _ in range(5):
        batches.append(agent.tick())
        clock.pass_by(1)

    last = None
    for batch in batches:
        assert samples.follows(last, batch)
        last = Position(batch.boot, batch.seq, batch.at)
    assert [batch.seq for batch in batches] == [1, 2, 3, 4, 5]


def test_a_clock_that_is_set_begins_a_new_run():
    clock = Clock()
    run = clock.run()
    boot, _, at = run.next()
    clock.pass_by(1)
    assert run.next() == (boot, 2, at + 1)

    clock.wall -= 3600
    after = run.next()

    assert after[0] != boot and after[1:] == (1, clock.wall)


def test_a_clock_that_is_slewed_a_little_changes_nothing():
    clock = Clock()
    run = clock.run()
    first = run.next()
    clock.pass_by(1)
    clock.wall -= 0.5

    assert run.next() == (first[0], 2, first[2] + 1)


def test_a_batch_is_capped_and_a_warning_is_told_once(caplog):
    agent = Agent(server="srv-a1", source=Chatty(), waiting=Waiting())

    batch = agent.tick()
    agent.tick()

    assert len(batch.samples) == samples.MOST_GPUS
    assert caplog.text.count("a cable is loose") == 1


def test_a_reading_that_fails_does_not_end_the_agent(caplog):
    stop, calls = threading.Event(), []

    def tick() -> None:
        calls.append(time.monotonic())
        if len(calls) == 3:
            stop.set()
        raise ValueError("no")

    keep_ticking(tick=tick, stop=stop, interval=0.02)

    assert len(calls) == 3
    assert "a reading failed" in caplog.text


def test_missed_readings_are_left_out_and_not_caught_up():
    stop, calls = threading.Event(), []

    def tick() -> None:
        calls.append(time.monotonic())
        if len(calls) == 1:
            time.sleep(0.25)
        if len(calls) == 4:
            stop.set()

    keep_ticking(tick=tick, stop=stop, interval=0.05)

    assert calls[3] - calls[1] > 0.08
