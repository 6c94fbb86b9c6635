"""manage.py audit: look for anything that must never be. Exits with 1 when something is found."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.web import audits


class Command(BaseCommand):
    help = "Look for double assignments, gaps in number series, books out of balance and the like; exits with 1 when anything is found."

    def handle(self, **options: object) -> None:
        findings = audits.findings(now=timezone.now())
        for app, found in findings.items():
            self.stdout.write(f"{app}: {'in order' if not found else f'{len(found)} findings'}")
            self.stdout.writelines(f"  {finding}" for finding in found)
        if any(findings.values()):
            sys.exit(1)
