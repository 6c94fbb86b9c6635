"""Doorbells of billing: each finds its rows by itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from billing.services import files


@shared_task(name="billing.make_files")
def make_files(document: str) -> None:
    files.make(document=document, now=timezone.now())


@shared_task(name="billing.sweep_files")
def sweep_files() -> None:
    files.sweep(now=timezone.now())
