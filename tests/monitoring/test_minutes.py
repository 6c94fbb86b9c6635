"""Minutes, from the streams into the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from monitoring.domain import wire
from monitoring.domain.samples import Sample
from monitoring.models import MinuteRollup
from monitoring.queries import streams as stream_queries
from monitoring.services import minutes
from monitoring.tasks import sweep
from tests.monitoring import batches, rows

START = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.fixture
def server(db, streams, now) -> str:
    rows.agent("srv-a1", now)
    return "srv-a1"


@pytest.fixture
def stream(streams):
    """stream(first, last, make) appends one message for each second."""

    def append(first: int, last: int, make=lambda second: [batches.board("GPU-0", utilisation=second % 60)], server: str = "srv-a1") -> None:
        for second in range(first, last):
            moment = START.timestamp() + second
            packed = wire.pack(batches.batch(server, *make(second), seq=second, at=moment), moment)
            streams.lpush(stream_queries.stream_key(server), msgspec.json.encode(packed))
            streams.ltrim(stream_queries.stream_key(server), 0, stream_queries.KEPT - 1)

    return append


def test_a_closed_minute_is_written_once_and_the_open_one_waits(server, stream):
    stream(0, 90)

    assert minutes.flush(now=at(90)) == 1
    assert minutes.flush(now=at(91)) == 0

    row = MinuteRollup.objects.get()
    assert (row.server, row.gpu, row.minute, row.samples) == ("srv-a1", "GPU-0", START, 60)
    assert (row.utilisation_min, row.utilisation_avg, row.utilisation_max) == (0, 29.5, 59)
    assert (row.memory_used_avg, row.power_max, row.temperature_avg) == (70012, pytest.approx(310.2), 55)


def test_a_minute_still_fills_for_a_few_seconds_after_its_end(server, stream):
    stream(0, 60)

    assert minutes.flush(now=at(62)) == 0
    assert minutes.flush(now=at(65)) == 1


def test_readings_that_arrive_late_are_added_to_their_minute(server, stream):
    stream(0, 30)
    minutes.flush(now=at(70))
    assert MinuteRollup.objects.get().samples == 30

    stream(30, 60)
    minutes.flush(now=at(100))

    assert MinuteRollup.objects.get().samples == 60


def test_h2_h3_a_mig_board_and_its_instances_are_series_of_their_own(server, stream):
    stream(0, 60, lambda second: [batches.mig("GPU-m")])

    minutes.flush(now=at(90))

    rows = {row.gpu: row for row in MinuteRollup.objects.all()}
    assert rows["GPU-m"].utilisation_avg is None and rows["GPU-m"].utilisation_min is None
    assert rows["GPU-m"].power_avg == pytest.approx(99.5) and rows["GPU-m"].memory_used_avg == 12048
    assert (rows["GPU-m/0"].utilisation_avg, rows["GPU-m/4"].utilisation_avg) == (42, 0)
    assert rows["GPU-m/0"].power_avg is None


def test_a_missing_reading_is_null_and_counts_nowhere(server, stream):
    stream(0, 60, lambda second: [Sample("GPU-0", power=100 if second < 10 else None), Sample("GPU-1")])

    minutes.flush(now=at(90))

    first, second = MinuteRollup.objects.order_by("gpu")
    assert (first.samples, first.power_avg, first.utilisation_avg) == (10, 100, None)
    assert (second.samples, second.power_avg, second.power_max) == (0, None, None)


def test_a_minute_whose_beginning_has_left_the_stream_is_not_written_smaller_than_it_was(server, stream):
    stream(0, 120)
    minutes.flush(now=at(130))
    stream(120, 350)  # the stream now begins in the middle of the first minute

    minutes.flush(now=at(360))

    assert list(MinuteRollup.objects.order_by("minute").values_list("samples", flat=True)) == [60] * 5


def test_a_server_without_an_agent_is_not_read_and_one_without_messages_costs_nothing(server, stream, now):
    rows.agent("srv-silent", now)
    stream(0, 90, server="srv-unknown")

    assert minutes.flush(now=at(100)) == 0


def test_the_sweep_needs_the_same_few_queries_for_any_number_of_servers(server, stream, now, django_assert_num_queries):
    for number in range(5):
        rows.agent(f"srv-{number}", now)
        stream(0, 60, server=f"srv-{number}")

    with django_assert_num_queries(3):  # agents, what is known, what is new
        assert minutes.flush(now=at(90)) == 5


def test_old_minutes_go(server, stream):
    stream(0, 60)
    minutes.flush(now=at(90))

    assert minutes.prune(now=START + timedelta(days=90)) == 0
    assert minutes.prune(now=START + timedelta(days=90, seconds=1)) == 1


def test_the_beat_rings_one_sweep(monkeypatch):
    rung = []
    monkeypatch.setattr(minutes, "keep", lambda *, now: rung.append(now))

    sweep()

    assert len(rung) == 1 and rung[0].tzinfo is not None


def test_one_sweep_writes_and_prunes(server, stream):
    stream(0, 60)
    minutes.keep(now=at(90))
    assert MinuteRollup.objects.count() == 1

    MinuteRollup.objects.update(minute=START - timedelta(days=91))
    minutes.keep(now=at(90))
    assert list(MinuteRollup.objects.values_list("minute", flat=True)) == [START]


def test_no_agent_writes_into_the_minutes_of_another_server(server, stream, now):
    rows.agent("srv-a2", now)
    stream(0, 60)
    stream(0, 60, lambda second: [batches.board("GPU-0", utilisation=1)], server="srv-a2")

    minutes.flush(now=at(90))

    assert MinuteRollup.objects.filter(gpu="GPU-0").count() == 2
