"""Taking a Batch into the stream of its Server: once, in order, for every web process and every open page."""

from __future__ import annotations

import msgspec
import redis

from monitoring.domain import wire
from monitoring.domain.samples import Batch
from monitoring.queries import streams
from portal.kernel.errors import DomainError
from portal.live import valkey

# samples.follows, where all web processes share one judge: an agent's connection may move from one to another. tests/monitoring compares the two.
PUSH = """
local last = redis.call('HMGET', KEYS[1], 'boot', 'seq', 'at')
if last[3] and (tonumber(ARGV[3]) <= tonumber(last[3]) or (last[1] == ARGV[1] and tonumber(ARGV[2]) <= tonumber(last[2]))) then
  return 0
end
redis.call('HSET', KEYS[1], 'boot', ARGV[1], 'seq', ARGV[2], 'at', ARGV[3])
redis.call('LPUSH', KEYS[2], ARGV[4])
redis.call('LTRIM', KEYS[2], 0, ARGV[5] - 1)
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[7], ARGV[4])
return 1
"""


class StreamsAway(DomainError):
    """Live readings cannot be taken at the moment. Send them again a little later."""

    status = 503
    code = "try_later"


async def push(*, batch: Batch, received_at: float) -> bool:
    """Append `batch` to its Server's stream and publish it, in one round trip. False for a repeat or a latecomer, which change nothing.

    Raises StreamsAway when Valkey cannot be reached: the agent keeps the Batch and sends it again."""
    message = msgspec.json.encode(wire.pack(batch, received_at))
    keys = (streams.position_key(batch.server), streams.stream_key(batch.server))
    arguments = (batch.boot, batch.seq, repr(batch.at), message, streams.KEPT, streams.EXPIRY, valkey.channel(group=streams.group(batch.server)))
    try:
        return bool(await valkey.waiting().eval(PUSH, len(keys), *keys, *arguments))
    except redis.RedisError as error:
        raise StreamsAway() from error
