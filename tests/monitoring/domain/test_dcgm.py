"""dcgm-exporter's text, read. Lines of our own in its format."""

from __future__ import annotations

import pytest

from monitoring.domain import dcgm, faults, samples
from monitoring.domain.samples import Sample


def line(metric: str, value: object, uuid: str = "GPU-c0", instance: int | None = None, **labels: str) -> str:
    named = {"gpu": "0", "UUID": uuid, "Hostname": "node-a", **labels}
    if instance is not None:
        named |= {"GPU_I_ID": str(instance), "GPU_I_PROFILE": "3g.40gb"}
    labels = ",".join(f'{name}="{text}"' for name, text in named.items())
    return f"{metric}{{{labels}}} {value}"


def read(*lines: str) -> dcgm.Reading:
    return dcgm.read("# HELP x y\n\n" + "\n".join(lines), 1.0, faults.Edges())


MIXED = [
    *(line(dcgm.POWER, 99.5, "GPU-mig", i) for i in (1, 2)),
    *(line(dcgm.TEMPERATURE, 41, "GPU-mig", i) for i in (1, 2)),
    line(dcgm.ENGINE_ACTIVE, 0.42, "GPU-mig", 1), line(dcgm.ENGINE_ACTIVE, 0, "GPU-mig", 2),
    line(dcgm.USED, 12011, "GPU-mig", 1), line(dcgm.USED, 37, "GPU-mig", 2), line(dcgm.FREE, 100, "GPU-mig", 2),
    line(dcgm.POWER, 310.2, "GPU-one"), line(dcgm.TEMPERATURE, 55, "GPU-one"), line(dcgm.GPU_UTILISATION, 97, "GPU-one"), line(dcgm.USED, 70012, "GPU-one"),
]  # fmt: skip


def test_h2_h3_a_mixed_server_board_power_once_utilisation_by_instance():
    mig, one = read(*MIXED).samples

    assert (mig.mig, mig.utilisation, mig.power, mig.temperature) == (True, None, 99.5, 41)
    assert [(part.gi, part.profile, part.utilisation, part.memory_used, part.memory_total) for part in mig.instances] == [
        (1, "3g.40gb", 42, 12011, None),
        (2, "3g.40gb", 0, 37, 137),
    ]
    assert (one.mig, one.utilisation, one.power, one.memory_used) == (False, 97, 310.2, 70012)
    whole = samples.totals([mig, one], expected=2)
    assert whole.power == pytest.approx(409.7)
    assert whole.memory_used == 12011 + 37 + 70012
    assert whole.utilisation == 97


def test_h4_sentinels_are_absent():
    reading = read(
        line(dcgm.GPU_UTILISATION, 9223372036854775792),
        line(dcgm.CLOCK, 2147483632),
        line(dcgm.POWER, "NaN"),
        line(dcgm.USED, "+Inf"),
        line(dcgm.TEMPERATURE, "140737488355328.0"),
        line(dcgm.FREE, "3.2e+04"),
        line(dcgm.XID, 0),
    )

    assert reading.samples == [Sample("GPU-c0")]
    assert reading.events == []


def test_total_memory_is_used_free_and_reserved():
    (sample,) = read(line(dcgm.USED, 100), line(dcgm.FREE, 800), line(dcgm.RESERVED, 100)).samples

    assert (sample.memory_used, sample.memory_reserved, sample.memory_total) == (100, 100, 1000)


def test_h9_a_uuid_keeps_its_readings_when_the_index_changes():
    before = read(line(dcgm.POWER, 1, "GPU-a", gpu="0"), line(dcgm.POWER, 2, "GPU-b", gpu="1"))
    after = read(line(dcgm.POWER, 2, "GPU-b", gpu="0"), line(dcgm.POWER, 1, "GPU-a", gpu="1"))

    assert {one.gpu: one.power for one in before.samples} == {one.gpu: one.power for one in after.samples}


def test_h10_the_last_xid_is_an_event_when_it_rises():
    edges = faults.Edges()
    scrapes = [dcgm.read(line(dcgm.XID, xid), float(i), edges).events for i, xid in enumerate((0, 31, 31, 31, 0, 31))]

    assert [event.code for events in scrapes for event in events] == ["xid-31", "xid-31"]


def test_labels_are_unescaped_and_a_timestamp_is_passed_over():
    parsed = dcgm.parse_line(r'M{gpu="0", uuid="GPU-c0" , host="v100 \"rack\\7\"\nrow\x"} 5 1796093451000')

    assert parsed == ("M", {"gpu": "0", "uuid": "GPU-c0", "host": 'v100 "rack\\7"\nrow\\x'}, 5)


@pytest.mark.parametrize("broken", ['M{a="b"c"} 1', "M{a=b} 1", 'M{a="b"} one', "no value", '{a="b"} 1'])
def test_a_line_that_is_no_exposition_text_is_counted_and_costs_nothing_else(broken):
    reading = read(broken, line(dcgm.POWER, 5))

    assert (reading.unparsed, reading.samples[0].power) == (1, 5)


def test_a_metric_of_no_gpu_is_passed_over():
    assert read("process_cpu_seconds_total 5", line(dcgm.POWER, 5, "")).samples == []
