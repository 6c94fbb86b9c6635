"""What one line of a chart is about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import series, wire
from monitoring.domain.samples import Batch, Instance, Sample

MIG = Sample("GPU-m", power=99.5, temperature=41, mig=True, instances=(Instance(1, "", 0, 4, 42, 12011, 40000), Instance(9, "", None, None, 0, 37, None)))


def packed(at: float, *samples: Sample) -> wire.Packed:
    return wire.unpack(wire.pack(Batch("srv-a1", "simulated", "b", 1, at, samples), at))


def test_an_instance_is_known_by_its_placement_or_else_by_its_number():
    assert series.name("GPU-m", 1, 4) == "GPU-m/4"
    assert series.name("GPU-m", 9, None) == "GPU-m/gi9"


def test_h2_h3_a_mig_board_is_one_series_and_each_instance_another():
    assert series.readings(wire.rows((MIG,))) == {
        "GPU-m": (None, 12048, 99.5, 41),
        "GPU-m/0": (42, 12011, None, None),
        "GPU-m/gi9": (0, 37, None, None),
    }


def test_what_a_board_says_of_its_memory_itself_stands():
    assert series.readings(wire.rows((Sample("GPU-0", memory_used=5, instances=(Instance(1, "", memory_used=3),)),)))["GPU-0"][1] == 5
    assert series.readings(wire.rows((Sample("GPU-0"),))) == {"GPU-0": series.NOTHING}


def test_a_series_that_is_missing_in_a_message_is_missing_in_the_chart_and_not_0():
    chart = series.columns([packed(1.04, Sample("GPU-0", utilisation=5)), packed(2, Sample("GPU-1", power=7))], ["GPU-0", "GPU-1"])

    assert chart == {"t": [1.0, 2], "v": {"GPU-0": [[5, None], [None] * 2, [None] * 2, [None] * 2], "GPU-1": [[None] * 2, [None] * 2, [None, 7], [None] * 2]}}


@given(st.lists(st.sets(st.sampled_from(["GPU-0", "GPU-1", "GPU-2"])), max_size=20))
def test_every_column_is_as_long_as_the_time(present):
    chart = series.columns([packed(float(i), *(Sample(gpu, power=1) for gpu in sorted(gpus))) for i, gpus in enumerate(present)], ["GPU-0", "GPU-1"])

    assert all(len(column) == len(chart["t"]) for lists in chart["v"].values() for column in lists)
    assert sum(value is not None for lists in chart["v"].values() for value in lists[2]) == sum(len(gpus & {"GPU-0", "GPU-1"}) for gpus in present)
