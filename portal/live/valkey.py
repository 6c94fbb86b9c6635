"""Connections to the live Valkey and the names used in it.

Publish/subscribe ignores database numbers, so every channel carries the number of its database: two installations on one Valkey do not hear each other.
Commands have short time-outs (a live message is a hint, never worth a wait); a subscription waits for ever, because redis-py's default of 5 s
would end a silent one (case H1).
"""

from __future__ import annotations

import asyncio
import functools
import weakref

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

SECONDS = 2.0

_by_loop: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, redis.asyncio.Redis] = weakref.WeakKeyDictionary()


def blocking() -> redis.Redis:
    """The client of this process for threads: views, tasks, commands. Fails within two seconds."""
    return _blocking(settings.LIVE_REDIS_URL)


@functools.cache
def _blocking(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, retry=Retry(NoBackoff(), 1))


def waiting() -> redis.asyncio.Redis:
    """The client of the running event loop: the ingest route and the sockets. Fails within two seconds."""
    loop = asyncio.get_running_loop()
    if loop not in _by_loop:
        _by_loop[loop] = redis.asyncio.Redis.from_url(
            settings.LIVE_REDIS_URL, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, retry=AsyncRetry(NoBackoff(), 1)
        )
    return _by_loop[loop]


def subscriber(*, url: str) -> redis.asyncio.Redis:
    """A client for one subscription, which may stay silent for ever. It never reconnects by itself: the hub does, and subscribes again."""
    return redis.asyncio.Redis.from_url(url, socket_timeout=None, socket_connect_timeout=SECONDS, retry=AsyncRetry(NoBackoff(), 0))


def channel(*, group: str) -> str:
    """The name under which `group` is published."""
    return f"live:{settings.LIVE_REDIS_URL.rpartition('/')[2]}:{group}"
