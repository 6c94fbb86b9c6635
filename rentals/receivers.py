"""Rings from below and beside. What billing announced is a row: a ring that fails here is made good by rentals.sweep_announcements."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from billing import signals as billing
from rentals import signals
from rentals.services import bookings, deployments


@receiver(billing.announced, dispatch_uid="rentals.read_announcements")
def read_announcements(**_: Any) -> None:
    bookings.read_announcements(now=timezone.now())


@receiver(signals.booking_confirmed, dispatch_uid="rentals.plan_deployments")
def plan_deployments(booking: Any, now: datetime, **_: Any) -> None:
    deployments.plan(booking=booking, now=now)


@receiver(signals.booking_winds_down, dispatch_uid="rentals.wind_deployments_down")
def wind_deployments_down(booking: Any, at: datetime, now: datetime, **_: Any) -> None:
    deployments.wind_down(booking=booking, at=at, now=now)
