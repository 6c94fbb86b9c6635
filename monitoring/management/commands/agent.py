"""manage.py agent SERIAL: a token for the agent of a server, printed this once. --revoke shuts the agent out."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from monitoring.services import agents
from portal.kernel.errors import DomainError


class Command(BaseCommand):
    help = "Prints a new token for the agent of a server (a former one ends within seconds), or revokes it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("server", help="the server's serial")
        parser.add_argument("--revoke", action="store_true", help="the agent may no longer send")

    def handle(self, *, server: str, revoke: bool, **options: object) -> None:
        try:
            if revoke:
                agents.revoke(server=server, by=None, now=timezone.now())
            else:
                self.stdout.write(agents.enrol(server=server, by=None, now=timezone.now()))
        except DomainError as refusal:
            raise CommandError(refusal.message) from refusal
