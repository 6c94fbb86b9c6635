"""Many simulated agents in one process, and the programs as they are started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from monitoring.agent import __main__ as agent
from monitoring.agent.fleet import Fleet
from tests.monitoring.agent.test_delivery import until

ROOT = Path(__file__).resolve().parents[3]


def entry(server: str, **changes: object) -> dict:
    gpus = [{"uuid": f"GPU-{server}-{i}", "model": "A100", "memory_mib": 81920, "tdp": 400, "mig": None} for i in range(2)]
    return {"server": server, "token": f"token-{server}", "gpus": gpus, **changes}


@pytest.fixture
def started(portal_stub, tmp_path):
    path = tmp_path / "fleet.json"
    running = Fleet(url=portal_stub.url, path=path, interval=0.05)
    running.write = lambda *entries: path.write_text(json.dumps(entries) + " " * len(entries))
    yield running
    for member in running.members.values():
        member.courier.stop()


def test_every_server_of_the_file_sends_with_its_own_token_and_says_that_it_is_simulated(started, portal_stub):
    started.write(entry("srv-1"), entry("srv-2"))
    started.look()

    started.read_due(time.monotonic() + 1)
    until(lambda: len(portal_stub.batches) == 2)

    assert {batch["server"] for batch in portal_stub.batches} == {"srv-1", "srv-2"}
    assert set(portal_stub.tokens) == {"Bearer token-srv-1", "Bearer token-srv-2"}
    assert {batch["source"] for batch in portal_stub.batches} == {"simulated"}


def test_the_file_is_waited_for_and_read_again_when_it_changes(started):
    started.look()
    assert started.members == {}

    started.write(entry("srv-1"))
    started.look()
    first = started.members["srv-1"]
    started.look()
    assert started.members["srv-1"] is first

    started.write(entry("srv-1", token="new"), entry("srv-2"))
    started.look()
    assert started.members["srv-1"] is not first and set(started.members) == {"srv-1", "srv-2"}

    started.write(entry("srv-2"))
    started.look()
    assert set(started.members) == {"srv-2"}


def test_a_file_that_is_half_written_changes_nothing(started, tmp_path):
    started.write(entry("srv-1"))
    started.look()

    (tmp_path / "fleet.json").write_text('[{"server": "srv-')
    started.look()

    assert set(started.members) == {"srv-1"}


def test_the_fleet_program_runs_and_ends_on_request(portal_stub, tmp_path):
    path = tmp_path / "fleet.json"
    path.write_text(json.dumps([entry("srv-1")]))
    command = [sys.executable, "-m", "monitoring.agent.fleet", "--url", portal_stub.url, "--fleet", str(path), "--interval", "0.05"]
    program = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)

    try:
        until(lambda: len(portal_stub.batches) > 3, within=20)
    finally:
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0


def test_the_agent_program_sends_with_the_token_of_its_file_and_ends_on_request(portal_stub, tmp_path):
    (tmp_path / "token").write_text("secret\n")
    options = ["--url", portal_stub.url, "--server", "srv-9", "--token-file", str(tmp_path / "token"), "--source", "simulated", "--interval", "0.05"]
    program = subprocess.Popen([sys.executable, "-m", "monitoring.agent", *options], cwd=ROOT, stderr=subprocess.DEVNULL)

    try:
        until(lambda: len(portal_stub.batches) > 3, within=20)
    finally:
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0
    assert portal_stub.batches[0]["server"] == "srv-9" and portal_stub.tokens[0] == "Bearer secret"


def test_the_agent_wants_to_know_where_to_send(capsys):
    with pytest.raises(SystemExit):
        agent.arguments(["--source", "simulated"])

    assert "--url and --token-file are needed" in capsys.readouterr().err


def test_without_arguments_it_takes_what_the_supervisor_gives_every_program(portal_stub, tmp_path):
    (tmp_path / "fleet.json").write_text(json.dumps([entry("srv-1")]))
    env = {**os.environ, "PORTAL_BASE_URL": portal_stub.url, "PORTAL_VAR": str(tmp_path)}
    program = subprocess.Popen([sys.executable, "-m", "monitoring.agent.fleet"], cwd=ROOT, env=env, stderr=subprocess.DEVNULL)

    try:
        until(lambda: portal_stub.batches, within=20)
    finally:
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0
