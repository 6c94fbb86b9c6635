"""manage.py demo: load the demo's people, catalog, fleet and rentals. Run again, it adds only what is missing."""

from __future__ import annotations

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.web.demo import loading


class Command(BaseCommand):
    help = "Load demo data; safe to run again."

    def handle(self, **options: object) -> None:
        loading.fill(now=timezone.now())
