"""manage.py gateway check | fetch | again: look after the payment gateway's messages."""

from __future__ import annotations

from datetime import UTC, datetime

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from billing.services import gateway, gateway_events
from portal.kernel.errors import DomainError


class Command(BaseCommand):
    help = "check: compare the endpoint's version with ours. fetch: store events that never arrived. again: work once more on a stored event."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("check")
        acts.add_parser("fetch").add_argument("--since", type=_moment, required=True, help="UTC, such as 2026-12-01T09:00")
        acts.add_parser("again").add_argument("event", help="the id of a stored event")

    def handle(self, **options: object) -> None:
        try:
            self.stdout.write(getattr(self, f"_{options['act']}")(**options))
        except (DomainError, gateway.EndpointVersionDiffers) as refusal:
            raise CommandError(str(refusal)) from refusal

    def _check(self, **_options: object) -> str:
        return gateway.check_endpoint(url=settings.BASE_URL + reverse("billing:gateway-events"))

    def _fetch(self, *, since: datetime, **_options: object) -> str:
        return f"{gateway_events.fetch_missed(now=timezone.now(), since=since)} new events"

    def _again(self, *, event: str, **_options: object) -> str:
        return gateway_events.work_again(event_id=event, now=timezone.now())


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
