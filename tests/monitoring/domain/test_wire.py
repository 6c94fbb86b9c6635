"""How a Batch travels."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import wire
from monitoring.domain.samples import Batch, Event, Instance, Refused, Sample, State

NOW = 1_796_115_600.0


def maybe(least: float, most: float) -> st.SearchStrategy:
    return st.none() | st.integers(int(least), int(most)) | st.floats(least, most)


instances = st.builds(
    Instance, gi=st.integers(0, 14), profile=st.sampled_from(["", "1g.10gb", "3g.40gb"]), start=st.none() | st.integers(0, 7),
    size=st.none() | st.integers(1, 8), utilisation=maybe(0, 100), memory_used=maybe(0, 80_000), memory_total=maybe(0, 80_000),
)  # fmt: skip
readings = st.builds(
    Sample, gpu=st.uuids().map(lambda uuid: f"GPU-{uuid}"), state=st.sampled_from(State), utilisation=maybe(0, 100), memory_activity=maybe(0, 100),
    memory_used=maybe(0, 200_000), memory_reserved=maybe(0, 2000), memory_total=maybe(0, 200_000), power=maybe(0, 1500), power_limit=maybe(0, 1500),
    temperature=maybe(0, 120), clock=maybe(0, 3000), throttle=st.none() | st.integers(0, 0x1FF), mig=st.booleans(),
    instances=st.lists(instances, max_size=7).map(tuple),
)  # fmt: skip
events = st.builds(Event, gpu=st.just("GPU-0"), code=st.sampled_from(["xid-79", "ecc"]), at=st.floats(NOW - 10, NOW), text=st.sampled_from(["", "fell off"]))
batches = st.builds(
    Batch, server=st.just("srv-a1"), source=st.sampled_from(["simulated", "nvml"]), boot=st.just("boot"), seq=st.integers(0, 1 << 40),
    at=st.integers(int(NOW) - 600, int(NOW) + 30).map(float), samples=st.lists(readings, max_size=16, unique_by=lambda one: one.gpu).map(tuple),
    events=st.lists(events, max_size=4).map(tuple),
)  # fmt: skip


def document(**changes: object) -> dict:
    sample = Sample("GPU-0", utilisation=97, memory_used=70012, memory_total=81920, power=310.2, temperature=55)
    batch = Batch("srv-a1", "simulated", "boot", 1, NOW, (sample,), (Event("GPU-0", "xid-79", NOW, "fell off"),))
    return {**wire.to_wire(batch), **changes}


def row(**changes: object) -> list:
    values = dict(zip(wire.COLUMNS, wire.rows((Sample("GPU-0"),))[0], strict=True))
    return list({**values, **changes}.values())


@given(batches)
def test_what_the_agent_writes_is_what_the_portal_reads(batch):
    assert wire.from_wire(json.loads(json.dumps(wire.to_wire(batch), allow_nan=False)), NOW) == batch


@given(batches)
def test_what_the_pages_get_holds_the_same_readings(batch):
    packed = wire.unpack(json.loads(json.dumps(wire.pack(batch, NOW), allow_nan=False)))

    assert packed.samples == batch.samples
    assert (packed.server, packed.at, packed.received_at, packed.source) == (batch.server, batch.at, NOW, batch.source)


def test_eight_gpus_are_less_than_a_kilobyte():
    gpus = tuple(Sample(f"GPU-{i:08x}-0000-4000-8000-{i:012x}", State.OK, 97, 41, 70012, 600, 81920, 310.2, 400, 55, 1410, 0) for i in range(8))

    assert len(json.dumps(wire.pack(Batch("srv-a1", "nvml", "b", 1, NOW, gpus), NOW), separators=(",", ":"))) < 1000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=15) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
        max_leaves=30,
    )
)
def test_nonsense_is_refused_and_never_breaks_the_reader(nonsense):
    for attempt in (nonsense, document(gpus=nonsense), document(gpus=[nonsense]), document(gpus=[row(instances=nonsense)]), document(events=[nonsense])):
        try:
            wire.from_wire(attempt, NOW)
        except Refused as refused:
            assert refused.field


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ([], "body"),
        (document(v=2), "v"),
        (document(at="soon"), "at"),
        (document(at=True), "at"),
        (document(at=NOW + 31), "at"),
        (document(server=""), "server"),
        (document(server="line\nbreak"), "server"),
        (document(source="x" * 21), "source"),
        (document(boot=None), "boot"),
        (document(seq=-1), "seq"),
        (document(seq=1.5), "seq"),
        (document(seq=True), "seq"),
        (document(gpus={}), "gpus"),
        (document(gpus=[row()] * 17), "gpus"),
        (document(gpus=[row(), row()]), "gpus"),
        (document(gpus=["GPU-0"]), "gpus[0]"),
        (document(gpus=[row(), row(gpu="GPU-1")[:-1]]), "gpus[1]"),
        (document(gpus=[row(gpu=7)]), "gpus[0].gpu"),
        (document(gpus=[row(state="fine")]), "gpus[0].state"),
        (document(gpus=[row(state=[])]), "gpus[0].state"),
        (document(gpus=[row(utilisation="97 %")]), "gpus[0].utilisation"),
        (document(gpus=[row(power=True)]), "gpus[0].power"),
        (document(gpus=[row(throttle="0x1")]), "gpus[0].throttle"),
        (document(gpus=[row(instances=[[1]])]), "gpus[0].instances[0]"),
        (document(gpus=[row(instances=[[1, "", None, None, None, None, None]] * 8)]), "gpus[0].instances"),
        (document(gpus=[row(instances=[["1", "", None, None, None, None, None]])]), "gpus[0].instances[0].gi"),
        (document(gpus=[row(instances=[[1, "", None, None, "x", None, None]])]), "gpus[0].instances[0].utilisation"),
        (document(events=[[]]), "events[0]"),
        (document(events=[["GPU-0", "xid-79", None, ""]]), "events[0].at"),
        (document(events=[["GPU-0", "x", NOW + 31, ""]]), "events[0].at"),
        (document(events=[["GPU-0", "x", NOW - 86_401, ""]]), "events[0].at"),
        (document(events=[["GPU-0", "x", NOW, ""]] * 33), "events"),
    ],
)
def test_what_is_wrong_in_form_is_refused_by_the_name_of_its_field(broken, field):
    with pytest.raises(Refused) as refused:
        wire.from_wire(broken, NOW)

    assert refused.value.field == field


def test_h7_a_number_that_is_no_reading_becomes_absent_and_the_rest_of_the_batch_stands():
    broken = row(gpu="GPU-1", utilisation=150, memory_used=9223372036854775792, power=140737488355328.0, temperature=2147483632, throttle=2**64 - 1)

    batch = wire.from_wire(document(gpus=[row(utilisation=97), broken]), NOW)

    assert [sample.utilisation for sample in batch.samples] == [97, None]
    assert batch.samples[1] == Sample("GPU-1")


def test_h2_under_mig_the_board_has_no_utilisation_and_each_instance_its_own():
    instances = [[1, "3g.40gb", 0, 4, 42, 12011, 40000], [2, "3g.40gb", 4, 4, 0, 37, 40000]]

    sample = wire.sample(row(mig=1, utilisation=None, instances=instances))

    assert sample.mig and sample.utilisation is None
    assert [one.utilisation for one in sample.instances] == [42, 0]


def test_a_placement_that_cannot_be_is_absent():
    sample = wire.sample(row(mig=1, instances=[[1, "", 9, 0, None, None, None]]))

    assert (sample.instances[0].start, sample.instances[0].size) == (None, None)
