"""The whole portal under its supervisor, as processes: start, accidents, stop."""

from __future__ import annotations

import os
import signal
import socket
import time

import pytest

from tests.embedded.running import PROGRAMS, Portal, is_alive, processes_of, wait_until

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("stack")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("portal") / "var"


@pytest.fixture(scope="module")
def portal(folder):
    """A portal whose preferred ports were taken when it started."""
    taken = []
    for port in (8000, 6390, 8090, 8091):
        listener = socket.socket()
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen()
        except OSError:
            pass  # somebody else has it: as good for this test
        taken.append(listener)
    portal = Portal(folder).start()
    yield portal
    if portal.process.poll() is None:
        portal.stop()
    for listener in taken:
        listener.close()


def test_it_starts_on_free_ports_when_the_usual_ones_are_taken(portal):
    assert portal.answers()
    assert not portal.running()["address"].endswith(":8000")


def test_everything_is_written_below_the_state_folder(portal):
    kept = {path.name for path in portal.folder.iterdir()}

    assert {"pg", "valkey", "log", "static", "running.json"} <= kept


def test_it_prints_the_address_and_four_log_ins(portal):
    said = portal.said()

    assert portal.running()["address"] in said
    assert [word for word in ("customer", "account manager", "finance", "operator") if word not in said] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_killed_program_comes_back(portal, name):
    before = portal.running()["pids"][name]

    os.kill(before, signal.SIGKILL)

    wait_until(lambda: portal.running()["pids"][name] not in (None, before), seconds=20, what=f"{name} started again")
    wait_until(portal.answers, seconds=30, what="the portal answers")


def test_tasks_are_worked_on_after_all_these_accidents(portal):
    done = portal.log("worker").count("succeeded")

    wait_until(lambda: portal.log("worker").count("succeeded") > done + 3, seconds=40, what="tasks that succeed")


def test_a_second_supervisor_leaves_the_folder_alone(portal):
    second = Portal(portal.folder)

    with pytest.raises(AssertionError, match="already runs"):
        second.start(seconds=20)


def test_nothing_is_left_after_the_supervisor_was_killed(portal):
    mine = processes_of(portal.folder)
    assert len(mine) > len(PROGRAMS) + 3  # PostgreSQL has children

    portal.kill()

    wait_until(lambda: not any(map(is_alive, mine)), seconds=5, what="all processes gone")
    assert not processes_of(portal.folder)


def test_the_next_start_is_warm_and_finds_what_was_there(folder):
    portal = Portal(folder)
    begun = time.monotonic()
    portal.start()
    seconds = time.monotonic() - begun

    try:
        assert portal.answers()
        assert "Migrating" not in portal.said()
        assert "Collecting" not in portal.said()
        assert "Loading" not in portal.said()
        assert seconds < 30
    finally:
        code = portal.stop()
    assert code == 0
    assert not processes_of(folder)


def test_a_stop_in_the_middle_of_the_start_leaves_nothing(tmp_path):
    portal = Portal(tmp_path / "var")
    portal.output.write_text("")
    with pytest.raises(TimeoutError):
        portal.start(seconds=2)

    assert portal.stop() == 0

    assert not processes_of(portal.folder)
