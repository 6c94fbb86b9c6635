"""Rings from below and beside. What billing announced is a row: a ring that fails here is made good by rentals.sweep_announcements."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from billing import signals as billing
from rentals.services import bookings


@receiver(billing.announced, dispatch_uid="rentals.read_announcements")
def read_announcements(**_: Any) -> None:
    bookings.read_announcements(now=timezone.now())
