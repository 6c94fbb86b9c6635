"""Doorbells of rentals: each makes one call. A sweep finds whatever a lost ring left behind."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from rentals.services import bookings, deployments, interruptions, quotes, reconciliation


@shared_task(name="rentals.sweep_bookings")
def sweep_bookings() -> None:
    bookings.sweep(now=timezone.now())


@shared_task(name="rentals.sweep_quotes")
def sweep_quotes() -> None:
    quotes.expire_due(now=timezone.now())


@shared_task(name="rentals.sweep_announcements")
def sweep_announcements() -> None:
    bookings.read_announcements(now=timezone.now())


@shared_task(name="rentals.sweep_deployments")
def sweep_deployments() -> None:
    deployments.sweep(now=timezone.now())


@shared_task(name="rentals.advance")
def advance(op_id: str) -> None:
    deployments.advance(op_id=op_id, now=timezone.now())


@shared_task(name="rentals.look_at")
def look_at(deployment_id: int) -> None:
    interruptions.look_at(deployment_id=deployment_id, now=timezone.now())


@shared_task(name="rentals.reconcile")
def reconcile() -> None:
    reconciliation.reconcile(now=timezone.now())
