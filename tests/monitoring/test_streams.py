"""The judge of order in Valkey and the one in the domain say the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitoring.domain import samples
from monitoring.domain.samples import Position
from monitoring.queries import streams as stream_queries
from monitoring.services import streams as service
from tests.monitoring import batches

NOW = 1_796_115_600.0
arrivals = st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 12), st.integers(0, 24)), max_size=25)


def test_valkey_and_the_domain_agree_on_what_follows(streams):
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(arrivals)
    def agree(sent: list) -> None:
        streams.flushdb()
        last, expected = None, []
        for boot, seq, half_seconds in sent:
            one = batches.batch("srv", seq=seq, at=NOW + half_seconds / 2, boot=boot)
            taken = samples.follows(last, one)
            assert bool(streams.eval(service.PUSH, 2, *arguments(one))) is taken
            if taken:
                last = Position(one.boot, one.seq, one.at)
                expected.append(one.at)
        assert [message.at for message in stream_queries.history(["srv"]).get("srv", [])] == expected

    agree()


def arguments(one: samples.Batch) -> tuple:
    message = service.msgspec.json.encode(service.wire.pack(one, one.at))
    keys = (stream_queries.position_key(one.server), stream_queries.stream_key(one.server))
    return (*keys, one.boot, one.seq, repr(one.at), message, stream_queries.KEPT, stream_queries.EXPIRY, "channel")


async def test_a_stream_keeps_a_little_more_than_five_minutes_and_is_forgotten_when_silent(streams):
    for second in range(stream_queries.KEPT + 20):
        assert await service.push(batch=batches.batch("srv", batches.board("GPU-0"), seq=second, at=NOW + second), received_at=NOW + second)

    history = stream_queries.history(["srv"])["srv"]
    assert len(history) == stream_queries.SHOWN_SECONDS
    assert history[-1].at == NOW + stream_queries.KEPT + 19
    assert streams.llen(stream_queries.stream_key("srv")) == stream_queries.KEPT
    assert 0 < streams.ttl(stream_queries.stream_key("srv")) <= stream_queries.EXPIRY
    assert stream_queries.newest(["srv", "other"]) == {"srv": history[-1]}
    assert (await stream_queries.newest_texts(["srv", "other"])).keys() == {"srv"}


async def test_without_valkey_there_are_no_readings_and_no_error(own_valkey, caplog):
    own_valkey.stop()

    assert stream_queries.history(["srv"]) == {}
    assert await stream_queries.newest_texts(["srv"]) == {}
    with pytest.raises(service.StreamsAway):
        await service.push(batch=batches.batch("srv"), received_at=NOW)
    assert "no live readings" in caplog.text
