"""Real captures of nvidia-smi and synthetic scrapes that are not ours to commit. Set TELEMETRY_SAMPLES to their folder, or keep them beside the checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from monitoring.domain import dcgm, faults, nvidia_smi

BESIDE = Path(__file__).resolve().parents[2] / "../shared/cases/telemetry-samples"
FOLDER = Path(os.environ.get("TELEMETRY_SAMPLES", BESIDE))
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no captures here: set TELEMETRY_SAMPLES to their folder")

FIELDS = {
    "util_gpu_pct": "utilisation", "util_mem_pct": "memory_activity", "mem_used_mib": "memory_used", "mem_total_mib": "memory_total",
    "mem_reserved_mib": "memory_reserved", "power_w": "power", "power_limit_w": "power_limit", "temp_c": "temperature", "clock_sm_mhz": "clock",
}  # fmt: skip


def expected(name: str) -> list[dict]:
    path = FOLDER / name
    return json.loads(path.read_text()) if path.is_file() else []


def compare(capture: dict, reading: nvidia_smi.Reading) -> None:
    assert [sample.gpu for sample in reading.samples] == [gpu["uuid"] for gpu in capture["gpus"]]
    for gpu, sample in zip(capture["gpus"], reading.samples, strict=True):
        told = {name: getattr(sample, name) for key, name in FIELDS.items() if key in gpu}
        assert told == {name: gpu[key] for key, name in FIELDS.items() if key in gpu}


@pytest.mark.parametrize("capture", expected("xml_expected.json"), ids=lambda capture: capture["file"])
def test_a_captured_xml_is_read_as_expected(capture):
    compare(capture, nvidia_smi.read_xml((FOLDER / "xml" / capture["file"]).read_text()))


@pytest.mark.parametrize("capture", expected("csv_expected.json"), ids=lambda capture: capture["file"])
def test_a_captured_table_is_read_as_expected(capture):
    compare(capture, nvidia_smi.read_csv((FOLDER / "csv" / capture["file"]).read_text()))


def test_h7_the_table_of_error_cells_keeps_its_rows():
    reading = nvidia_smi.read_csv((FOLDER / "csv/error_cells__synthetic.csv").read_text())

    assert [str(sample.state) for sample in reading.samples] == ["ok", "error", "needs_reset", "ok", "ok"]
    assert (reading.without_name, reading.unparsed) == (1, 1)


def test_h3_the_mixed_scrape_counts_power_once():
    reading = dcgm.read((FOLDER / "prom/a100_mig_mixed.prom").read_text(), 0, faults.Edges())
    told = json.loads((FOLDER / "prom/a100_mig_mixed.expected.json").read_text())

    assert sum(sample.power or 0 for sample in reading.samples) == pytest.approx(told["node_power_w"])
    assert [[one.utilisation for one in sample.instances] for sample in reading.samples] == [[42, 0], []]


def test_h4_the_scrape_of_blanks_holds_no_number():
    reading = dcgm.read((FOLDER / "prom/blanks_and_escapes.prom").read_text(), 0, faults.Edges())

    assert [(sample.gpu, sample.utilisation, sample.clock, sample.power, sample.memory_used) for sample in reading.samples] == [
        ("GPU-c0", None, None, None, None),
        ("GPU-c1", None, None, None, None),
    ]
    assert [event.code for event in reading.events] == ["xid-79"]
