"""Ringing Celery. The row is the truth: a ring may be lost, and a sweeper finds the row."""

from __future__ import annotations

import logging

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)


def after_commit(task: str, **ids: object) -> None:
    """Ring the task named `task` with `ids` once the present transaction has committed. A broker that is gone costs one sweep, never the request."""
    transaction.on_commit(lambda: ring(task, **ids))


def ring(task: str, **ids: object) -> None:
    """Ring now; never raises for a broker that is gone."""
    try:
        current_app.send_task(task, kwargs=ids, expires=600, retry=False)
    except Exception as error:  # whatever the transport raises: the sweeper will find the row
        log.warning("could not ring %s: %s", task, error)
