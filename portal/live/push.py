"""Hints: "something about this changed, fetch it again". A hint may be lost; the page is right after a plain reload."""

from __future__ import annotations

import json
import logging

import redis
from django.db import transaction

from portal.live import valkey

log = logging.getLogger(__name__)


def hint(group: str, kind: str) -> None:
    """Once the present transaction has committed, tell every socket in `group` (such as booking-B-1042) that its `kind` (state, steps, cost ...)
    changed. Never raises: without Valkey nobody is told and the page's own polling finds out."""
    transaction.on_commit(lambda: _publish(group, kind))


def _publish(group: str, kind: str) -> None:
    try:
        valkey.blocking().publish(valkey.channel(group=group), json.dumps({"hint": kind}, allow_nan=False))
    except redis.RedisError as error:
        log.warning("could not hint %s to %s: %s", kind, group, error)
