"""manage.py publish_terms: publish a new version of the terms of service; customers accept it before their next booking."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.accounts.services import enrolment


class Command(BaseCommand):
    help = "Publish a version of the terms of service from two text files. A version that is there already stays as it is."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--version-name", required=True, help="such as 2027-01")
        parser.add_argument("--en", required=True, type=Path, help="file with the English text")
        parser.add_argument("--zh", required=True, type=Path, help="file with the Chinese text")

    def handle(self, **options: Any) -> None:
        texts = {name: options[name[-2:]].read_text(encoding="utf-8") for name in ("text_en", "text_zh")}
        terms = enrolment.publish_terms(version=options["version_name"], now=timezone.now(), **texts)
        self.stdout.write(f"{terms.version}: {terms.published_at.isoformat()}")
