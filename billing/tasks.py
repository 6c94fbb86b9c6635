"""Doorbells of billing: each finds its rows by itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from billing.services import files, gateway_events, payments, refunds


@shared_task(name="billing.make_files")
def make_files(document: str) -> None:
    files.make(document=document, now=timezone.now())


@shared_task(name="billing.sweep_files")
def sweep_files() -> None:
    files.sweep(now=timezone.now())


@shared_task(name="billing.apply_event")
def apply_event(event_id: str) -> None:
    gateway_events.apply(event_id=event_id, now=timezone.now())


@shared_task(name="billing.send_refund")
def send_refund(refund: str) -> None:
    refunds.send(refund=refund, now=timezone.now())


@shared_task(name="billing.sweep_payments")
def sweep_payments() -> None:
    payments.sweep(now=timezone.now())
