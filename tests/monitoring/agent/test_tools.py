"""Readings through nvidia-smi and through an exporter."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from monitoring.agent import __main__ as agent
from monitoring.agent import tools
from monitoring.agent.base import SourceMissing
from tests.live.engines import free_port
from tests.monitoring.domain.test_dcgm import line

XML = "<nvidia_smi_log><gpu><uuid>GPU-a</uuid><utilization><gpu_util>93 %</gpu_util></utilization></gpu></nvidia_smi_log>"


@pytest.fixture
def program(tmp_path):
    """A program named nvidia-smi that prints what it is given."""

    def write(body: str) -> tools.NvidiaSmi:
        path = tmp_path / "nvidia-smi"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return tools.NvidiaSmi(program=str(path))

    return write


@pytest.fixture
def exporter():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write((line("DCGM_FI_DEV_XID_ERRORS", 31) + "\n" + line("DCGM_FI_DEV_POWER_USAGE", 99.5)).encode())

        def log_message(self, *arguments: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/metrics"
    server.shutdown()
    server.server_close()


def test_nvidia_smi_is_read(program):
    reading = program(f"cat <<'END'\n{XML}\nEND").read(at=1)

    assert [(sample.gpu, sample.utilisation) for sample in reading.samples] == [("GPU-a", 93)]


def test_nvidia_smi_that_prints_an_error_costs_a_warning(program):
    reading = program("echo Unable to determine the device handle").read(at=1)

    assert (reading.samples, reading.unparsed) == ([], 1)


def test_nvidia_smi_that_hangs_is_left_behind(program, monkeypatch):
    monkeypatch.setattr(tools, "SECONDS", 0.2)

    assert program("exec sleep 5").read(at=1).warnings == ["nvidia-smi does not answer"]


def test_without_the_program_there_is_no_source():
    with pytest.raises(SourceMissing):
        tools.NvidiaSmi(program="no-such-program")


def test_an_exporter_is_scraped_and_its_last_xid_is_an_event_once(exporter):
    source = tools.Exporter(url=exporter)

    first, second = source.read(at=1), source.read(at=2)

    assert first.samples[0].power == 99.5
    assert ([event.code for event in first.events], second.events) == (["xid-31"], [])


def test_an_exporter_that_is_not_there_costs_a_warning():
    reading = tools.Exporter(url=f"http://127.0.0.1:{free_port()}").read(at=1)

    assert reading.samples == [] and "does not answer" in reading.warnings[0]


def test_an_exporter_needs_an_address():
    with pytest.raises(SourceMissing):
        tools.Exporter(url="elsewhere")


@pytest.mark.parametrize(("name", "kind"), [("simulated", "simulated"), ("dcgm", "dcgm")])
def test_a_source_is_chosen_by_name(name, kind):
    assert agent.source(agent.arguments(["--once", "--source", name])).name == kind


def test_a_source_that_is_missing_ends_the_agent_with_a_word(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")

    assert agent.main(["--once", "--source", "nvidia-smi"]) == 1
    assert "nvidia-smi is not on PATH" in capsys.readouterr().err
