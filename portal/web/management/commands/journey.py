"""manage.py journey: live the main job from end to end against the running demo, one line a step; exits 1 at the first that does not hold."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.web.journey import accidents
from portal.web.journey.story import Story


class Command(BaseCommand):
    help = "Play the main job over real HTTP, WebSocket and Celery. `make journey` starts a throw-away portal around it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--accidents", action="store_true", help="kill each program once on the way; the supervisor must bring it back")

    def handle(self, **options: Any) -> None:
        story = Story(settings.BASE_URL, patience=60 if options["accidents"] else 0)
        begun = time.monotonic()
        for title, step in story.steps():
            self.play(title, step, with_accidents=options["accidents"])
        call_command("audit", stdout=self.stdout)
        told = f"Invoice total: expected {story.facts['expected']}, got {story.facts['got']}."
        self.stdout.write(f"Every step held, in {time.monotonic() - begun:.1f} s. {told}")

    def play(self, title: str, step: Callable[[], str], *, with_accidents: bool) -> None:
        """One step and its line. Raises CommandError when it does not hold."""
        killed = accidents.strike(step=step.__name__, state_folder=settings.VAR) if with_accidents else []
        begun = time.monotonic()
        try:
            result = step()
        except Exception as error:
            raise CommandError(f"{title}: {type(error).__name__}: {error}") from error
        after = f" (after kill -9 of {', '.join(killed)})" if killed else ""
        self.stdout.write(f"{time.monotonic() - begun:6.1f} s  {title}{after}: {result}")
        self.stdout.flush()
