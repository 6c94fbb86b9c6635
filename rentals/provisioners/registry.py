"""Which engine a Server stands under, by name."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from rentals.provisioners import base
from rentals.provisioners.breaker import Guarded
from rentals.provisioners.simulated.client import Simulated


class NoSuchEngine(LookupError):
    """A Server names an engine that this installation does not have."""


@cache
def engine(name: str) -> base.Provisioner:
    """The engine with this name, one object per process. Raises NoSuchEngine."""
    if name == "simulated":
        return Guarded(Simulated(settings.SIMULATED_ENGINE_URL))
    raise NoSuchEngine(name)


def names() -> list[str]:
    """The engines that can be chosen for a new Server."""
    return ["simulated"]
