"""Doorbells of accounts."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from portal.accounts.services import idempotency, letters

KEYS_KEPT = timedelta(days=7)


@shared_task(name="accounts.send_mail")
def send_mail(letter: int) -> None:
    """One Letter."""
    letters.send(letter_id=letter, now=timezone.now())


@shared_task(name="accounts.sweep_mail")
def sweep_mail() -> None:
    """Letters whose ring was lost or whose turn has come again."""
    letters.sweep(now=timezone.now())


@shared_task(name="accounts.forget_keys")
def forget_keys() -> None:
    """Idempotency keys that nobody repeats any more."""
    idempotency.forget(before=timezone.now() - KEYS_KEPT)
