"""Doorbells of monitoring. The beat rings every few seconds; a lost ring costs one sweep."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from monitoring.services import minutes


@shared_task(name="monitoring.sweep")
def sweep() -> None:
    minutes.keep(now=timezone.now())
