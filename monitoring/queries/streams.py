"""The newest five minutes of every Server, as Valkey keeps them for all web processes: a list of packed messages, newest first."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

import msgspec
import redis

from monitoring.domain import wire
from monitoring.domain.wire import Packed
from portal.live import valkey

log = logging.getLogger(__name__)

KEPT = 330  # messages of a Server: five minutes and a little, so that a minute's end is never lost to the roll-up
SHOWN_SECONDS = 300
EXPIRY = 900  # seconds after which a silent Server's stream is forgotten

decode = msgspec.json.Decoder().decode


def stream_key(server: str) -> str:
    return f"telemetry:{server}"


def position_key(server: str) -> str:
    return f"telemetry:{server}:last"


def group(server: str) -> str:
    """The group of the hub in which a Server's messages are published."""
    return f"server-{server}"


def faults_group(server: str) -> str:
    """The group in which it is hinted that a Server has new faults."""
    return f"faults-{server}"


def unpacked(message: bytes) -> Packed:
    return wire.unpack(decode(message))


def newest(servers: Sequence[str]) -> dict[str, Packed]:
    """The last message of each Server that has one. Empty when Valkey cannot be asked: a page then shows that there are no readings."""
    return {server: found[-1] for server, found in history(servers, messages=1).items()}


def history(servers: Sequence[str], *, messages: int = SHOWN_SECONDS) -> dict[str, list[Packed]]:
    """The last messages of each Server that has any, oldest first. One round trip; empty when Valkey cannot be asked."""
    try:
        with valkey.blocking().pipeline(transaction=False) as pipe:
            for server in servers:
                pipe.lrange(stream_key(server), 0, messages - 1)
            answers = pipe.execute()
    except redis.RedisError as error:
        log.warning("no live readings: %s", error)
        return {}
    return _named(servers, answers)


async def newest_texts(servers: Sequence[str]) -> dict[str, bytes]:
    """The last message of each Server that has one, as it was published. Empty when Valkey cannot be asked."""
    try:
        async with valkey.waiting().pipeline(transaction=False) as pipe:
            for server in servers:
                pipe.lindex(stream_key(server), 0)
            answers = await pipe.execute()
    except redis.RedisError as error:
        log.warning("no live readings: %s", error)
        return {}
    return {server: text for server, text in zip(servers, answers, strict=True) if text}


def _named(servers: Iterable[str], answers: Iterable[list[bytes]]) -> dict[str, list[Packed]]:
    return {server: [unpacked(message) for message in reversed(found)] for server, found in zip(servers, answers, strict=True) if found}
