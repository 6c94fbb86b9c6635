"""Ringing Celery. The row is the truth: a ring may be lost, and a sweeper finds the row."""

from __future__ import annotations

import logging
from functools import cache

import celery
from django.db import transaction

log = logging.getLogger(__name__)


@cache
def bell() -> celery.Celery:
    """The sender of this process. The worker's own application is portal.celery, which web processes and commands do not load: without one of their own
    Celery would ring at an address that nobody named."""
    app = celery.Celery("portal-bell", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def after_commit(task: str, **ids: object) -> None:
    """Ring the task named `task` with `ids` once the present transaction has committed. A broker that is gone costs one sweep, never the request."""
    transaction.on_commit(lambda: ring(task, **ids))


def ring(task: str, **ids: object) -> None:
    """Ring now; never raises for a broker that is gone."""
    try:
        bell().send_task(task, kwargs=ids, expires=600, retry=False)
    except Exception as error:  # whatever the transport raises: the sweeper will find the row
        log.warning("could not ring %s: %s", task, error)
