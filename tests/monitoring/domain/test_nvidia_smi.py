"""What nvidia-smi prints, read. Small documents of our own in the shapes of its versions."""

from __future__ import annotations

import pytest

from monitoring.domain import nvidia_smi, readings
from monitoring.domain.samples import State

UTILISED = "<utilization><gpu_util>93 %</gpu_util><memory_util>20 %</memory_util></utilization>"


def document(inside: str, *, version: str = "v12", uuid: str = "GPU-a") -> str:
    return (
        f'<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_{version}.dtd">\n<!-- a comment -->'
        f"<nvidia_smi_log><gpu><uuid>{uuid}</uuid>{inside}</gpu></nvidia_smi_log>"
    )


def only(text: str) -> nvidia_smi.Sample:
    (sample,) = nvidia_smi.read_xml(text).samples
    return sample


OLD = "<power_readings><power_draw>61.23 W</power_draw><enforced_power_limit>400.00 W</enforced_power_limit></power_readings>"
DRIVER_535 = "<gpu_power_readings><power_draw>61.23 W</power_draw><current_power_limit>400.00 W</current_power_limit></gpu_power_readings>"
DRIVER_570 = (
    "<gpu_power_readings><average_power_draw>61.23 W</average_power_draw><instant_power_draw>70.00 W</instant_power_draw>"
    "<current_power_limit>400.00 W</current_power_limit></gpu_power_readings>"
)
MODULE = "<module_power_readings><power_draw>{}</power_draw><average_power_draw>{}</average_power_draw></module_power_readings>"


@pytest.mark.parametrize("power", [OLD, DRIVER_535, DRIVER_570, DRIVER_535 + MODULE.format("N/A", "N/A"), MODULE.format("900 W", "900 W") + DRIVER_570])
def test_h5_power_is_read_wherever_a_driver_writes_it_and_never_from_the_module(power):
    sample = only(document(power))

    assert (sample.power, sample.power_limit) == (61.23, 400)


def test_h5_the_modules_power_alone_is_not_the_gpus():
    assert only(document(MODULE.format("900 W", "900 W"))).power is None


def test_h6_an_unknown_version_is_read_by_the_newest_rules_with_one_warning():
    reading = nvidia_smi.read_xml(document(UTILISED + DRIVER_570, version="v99"))

    assert reading.samples[0].utilisation == 93
    assert reading.warnings == ["unknown version of nvidia-smi's XML: 99"]
    assert nvidia_smi.read_xml(document(UTILISED)).warnings == []


@pytest.mark.parametrize(
    "attack",
    [
        '<!DOCTYPE nvidia_smi_log [<!ENTITY x SYSTEM "file:///etc/hostname">]><nvidia_smi_log><gpu><uuid>&x;</uuid></gpu></nvidia_smi_log>',
        '<!DOCTYPE nvidia_smi_log SYSTEM "http://example.com/nvsmi_device_v12.dtd"><nvidia_smi_log/>',
        '<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd" [<!ELEMENT x ANY>]><nvidia_smi_log/>',
        "Unable to determine the device handle for GPU 0000:BA:00.0: Unknown Error",
        "<nvidia_smi_log>",
    ],
)
def test_h6_a_document_with_entities_or_a_foreign_type_is_refused(attack):
    with pytest.raises(nvidia_smi.Unreadable):
        nvidia_smi.read_xml(attack)


def test_a_board_with_instances():
    inside = (
        "<mig_mode><current_mig>Enabled</current_mig></mig_mode><utilization><gpu_util>N/A</gpu_util></utilization>"
        "<mig_devices><mig_device><gpu_instance_id>3</gpu_instance_id>"
        "<fb_memory_usage><total>19968 MiB</total><used>12 MiB</used></fb_memory_usage></mig_device>"
        "<mig_device/></mig_devices><fb_memory_usage><total>81920 MiB</total><reserved>600 MiB</reserved><used>24 MiB</used></fb_memory_usage>"
    )

    sample = only(document(inside))

    assert sample.mig and sample.utilisation is None and sample.state == State.OK
    assert [(one.gi, one.memory_used, one.memory_total) for one in sample.instances] == [(3, 12, 19968), (0, None, None)]
    assert (sample.memory_used, sample.memory_reserved, sample.memory_total) == (24, 600, 81920)


@pytest.mark.parametrize("element", ["clocks_event_reasons", "clocks_throttle_reasons"])
def test_throttle_reasons_under_both_names(element):
    reasons = f"<{element}><{element[:-1]}_hw_power_brake_slowdown>Active</{element[:-1]}_hw_power_brake_slowdown>" + (
        f"<{element[:-1]}_sw_power_cap>Active</{element[:-1]}_sw_power_cap><{element[:-1]}_gpu_idle>Not Active</{element[:-1]}_gpu_idle></{element}>"
    )

    assert only(document(reasons)).throttle == 0x84


def test_a_gpu_that_cannot_say_who_it_is_is_counted():
    reading = nvidia_smi.read_xml(document("", uuid="GPU is lost"))

    assert (reading.samples, reading.without_name) == ([], 1)


TABLE = """index, uuid, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu, clocks_event_reasons.active
0, GPU-0, Some GPU, 3 %, 512 MiB, 40960 MiB, 61.23 W, 33, 0x0000000000000001
1, GPU-1, Some GPU, [Unknown Error], [Unknown Error], 40960 MiB, [Unknown Error], [Unknown Error], [Unknown Error]
2, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]
3, GPU-3, Some GPU, [GPU requires reset], [GPU requires reset], [GPU requires reset], [GPU requires reset], [GPU requires reset], [GPU requires reset]
4, GPU-4, Some vGPU, 0 %, 12 MiB, 4096 MiB, [N/A], [N/A], Not Active
5, GPU-5, Some GPU, 93 %, ERR!, 20475 MiB, 99 W, 68, 0x0000000000000084
6, GPU-6, Some GPU, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]
Unable to determine the device handle for GPU 0000:BA:00.0: Unknown Error
"""


def test_h7_one_bad_cell_costs_neither_its_row_nor_the_others():
    reading = nvidia_smi.read_csv(TABLE)
    rows = {sample.gpu: sample for sample in reading.samples}

    assert {gpu: str(sample.state) for gpu, sample in rows.items()} == {
        "GPU-0": "ok", "GPU-1": "error", "GPU-3": "needs_reset", "GPU-4": "ok", "GPU-5": "ok", "GPU-6": "lost",
    }  # fmt: skip
    assert (rows["GPU-0"].utilisation, rows["GPU-0"].power, rows["GPU-0"].throttle) == (3, 61.23, 1)
    assert (rows["GPU-1"].utilisation, rows["GPU-1"].memory_used, rows["GPU-1"].memory_total) == (None, None, 40960)
    assert (rows["GPU-4"].utilisation, rows["GPU-4"].power, rows["GPU-4"].temperature, rows["GPU-4"].throttle) == (0, None, None, None)
    assert (rows["GPU-5"].memory_used, rows["GPU-5"].throttle) == (None, 0x84)
    assert (reading.without_name, reading.unparsed) == (1, 1)
    assert reading.warnings == ["Unable to determine the device handle for GPU 0000:BA:00.0: Unknown Error"]


def test_a_table_of_nothing_has_no_gpus():
    assert nvidia_smi.read_csv("").samples == []


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("575 MiB", 575), ("3 %", 3), ("93%", 93), ("61.23 W", 61.23), ("33", 33), ("[N/A]", None), ("N/A", None), ("[Not Supported]", None), ("ERR!", None),
        ("Not Active", None), ("", None), (None, None), ("0x0000000000000001", None), ("2 GiB", 2048), ("1.048576 MB", 1), ("2048 KiB", 2),
    ],
)  # fmt: skip
def test_a_cell_is_a_number_with_its_unit_or_nothing(cell, value):
    assert readings.number(cell) == value


def test_a_gpu_without_telling_cells_is_no_failed_gpu():
    assert readings.state_of([]) == State.OK
