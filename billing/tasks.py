"""Doorbells of billing: each finds its rows by itself."""

from __future__ import annotations

from celery import shared_task, signals
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from billing.services import files, gateway, gateway_events, payments, refunds


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


@signals.worker_init.connect
def refuse_to_start_for_another_version(**_named: object) -> None:
    """A worker that cannot read the gateway's events must not run. What the gateway answers now may be wrong for ever; that it does not answer may not."""
    try:
        gateway.check_endpoint(url=settings.BASE_URL + reverse("billing:gateway-events"))
    except gateway.EndpointVersionDiffers as error:
        raise SystemExit(str(error)) from error
