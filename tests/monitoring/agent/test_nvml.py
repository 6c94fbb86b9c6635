"""The agent's real path through nvidia-ml-py, on a pretended driver compiled here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from monitoring.domain import wire
from monitoring.domain.samples import State

ROOT = Path(__file__).resolve().parents[3]
STUB = Path(__file__).with_name("nvml_stub.c")
PROBE = """
import json, os, sys, time
from monitoring.agent.nvml import Nvml
from monitoring.domain import wire
source = Nvml(within=0.4)
for step in json.loads(sys.argv[1]):
    os.environ.update(step)
    started = time.monotonic()
    reading = source.read(at=started)
    print(json.dumps({
        "rows": wire.rows(tuple(reading.samples)), "events": [[e.gpu, e.code, e.text] for e in reading.events], "nameless": reading.without_name,
        "warnings": reading.warnings, "took": time.monotonic() - started,
    }), flush=True)
    time.sleep(0.05)
os._exit(0)
"""


@pytest.fixture(scope="session")
def driver(tmp_path_factory) -> Path:
    """The folder of the pretended libnvidia-ml.so.1."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "these tests compile a small driver: install a C compiler (Debian: gcc)"
    folder = tmp_path_factory.mktemp("nvml")
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-Wl,-soname,libnvidia-ml.so.1", "-o", str(folder / "libnvidia-ml.so.1"), str(STUB)]
    subprocess.run(command, check=True)
    return folder


def run(driver: Path | None, *command: str, **scenario: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "LD_LIBRARY_PATH": str(driver or "/nonexistent"), **scenario}
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, text=True, timeout=30)


def looks(driver: Path, *steps: dict[str, str], **scenario: str) -> list[dict]:
    """What Nvml reads, once for each of `steps` (changes of the scenario)."""
    done = run(driver, "-c", PROBE, json.dumps(list(steps) or [{}]), **scenario)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for look in found:
        look["samples"] = [wire.sample(row) for row in look["rows"]]
    return found


def test_the_agent_prints_one_reading_of_the_node(driver):
    done = run(driver, "-m", "monitoring.agent", "--once", "--source", "nvml", "--server", "srv-a1")

    batch = json.loads(done.stdout)
    read = wire.from_wire(batch, batch["at"])
    assert (read.server, read.source, len(read.samples)) == ("srv-a1", "nvml", 2)


def test_every_reading_of_a_gpu(driver):
    ((first, second),) = [look["samples"] for look in looks(driver)]

    assert second.gpu == "GPU-00000001-0000-4000-8000-000000000000"
    assert (second.utilisation, second.memory_activity, second.temperature, second.power) == (11, 5, 41, 101.5)
    assert second.state == State.OK and first.state == State.OK


def test_h8_reserved_memory_is_not_used_memory(driver):
    ((first, _),) = [look["samples"] for look in looks(driver)]

    assert (first.memory_used, first.memory_reserved, first.memory_total) == (0, 600, 81920)


def test_an_old_driver_without_the_second_memory_call_gives_what_it_has(driver):
    ((first, _),) = [look["samples"] for look in looks(driver, STUB_OLD="1")]

    assert (first.memory_used, first.memory_reserved, first.memory_total) == (600, None, 81920)


def test_a_symbol_that_the_driver_does_not_have_is_a_missing_reading(driver):
    ((first, _),) = [look["samples"] for look in looks(driver)]

    assert (first.clock, first.power_limit, first.throttle) == (None, None, None)
    assert first.state == State.OK


def test_h2_under_mig_the_board_has_no_utilisation_and_its_instances_are_placed(driver):
    ((board, other),) = [look["samples"] for look in looks(driver, STUB_MIG="1")]

    assert board.mig and board.utilisation is None
    assert [(one.gi, one.profile, one.start, one.size, one.memory_used, one.memory_total) for one in board.instances] == [
        (1, "3g.40gb", 0, 4, 1024, 40960),
        (2, "3g.40gb", 4, 4, 2048, 40960),
    ]
    assert [one.utilisation for one in board.instances] == [None, None]
    assert not other.mig and other.utilisation == 11


@pytest.mark.parametrize(("scenario", "state"), [("STUB_LOST", State.LOST), ("STUB_RESET", State.NEEDS_RESET)])
def test_a_gpu_that_falls_off_the_bus_keeps_its_name_and_costs_the_others_nothing(driver, scenario, state):
    before, after = looks(driver, {}, {scenario: "0"})

    assert [sample.state for sample in before["samples"]] == [State.OK, State.OK]
    assert [(sample.gpu[:12], sample.state) for sample in after["samples"]] == [("GPU-00000000", state), ("GPU-00000001", State.OK)]
    assert after["samples"][0].power is None and after["samples"][1].power == 101.5


def test_a_gpu_that_was_lost_before_the_agent_began_has_no_name_and_is_counted(driver):
    (look,) = looks(driver, STUB_LOST="1")

    assert [sample.gpu[:12] for sample in look["samples"]] == ["GPU-00000000"]
    assert look["nameless"] == 1


def test_a_call_that_hangs_is_left_behind_and_the_others_are_read_in_time(driver):
    before, hung, still = looks(driver, {}, {"STUB_HANGS": "0"}, {})

    for look in (hung, still):
        assert [(sample.gpu[:12], sample.state) for sample in look["samples"]] == [("GPU-00000000", State.ERROR), ("GPU-00000001", State.OK)]
        assert look["took"] < 1.5
    assert before["samples"][0].state == State.OK


def test_h9_the_index_order_changes_and_each_uuid_keeps_its_readings(driver):
    before, after = looks(driver, {}, {"STUB_ORDER": "reversed"})

    assert {sample.gpu: sample.power for sample in before["samples"]} == {sample.gpu: sample.power for sample in after["samples"]}
    assert before["samples"][0].gpu == after["samples"][1].gpu


def test_an_xid_in_the_drivers_queue_is_one_event(driver):
    seen = looks(driver, {}, {}, {}, {}, STUB_XID="1")

    events = [event for look in seen for event in look["events"]]
    assert events == [["GPU-00000001-0000-4000-8000-000000000000", "xid-31", ""]]


def test_new_uncorrected_memory_errors_are_an_event_and_a_reset_counter_is_none(driver):
    seen = looks(driver, {"STUB_ECC": "5"}, {"STUB_ECC": "7"}, {"STUB_ECC": "0"})

    assert [look["events"] for look in seen] == [[], [["GPU-00000000-0000-4000-8000-000000000000", "ecc", "2 uncorrected"]], []]


def test_without_a_driver_the_agent_says_so_and_ends():
    done = run(None, "-m", "monitoring.agent", "--once", "--source", "nvml")

    assert done.returncode == 1
    assert "NVML" in done.stderr
