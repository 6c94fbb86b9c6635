"""Which agents may speak."""

from __future__ import annotations

from monitoring.models import Agent
from rentals.queries import live


def unrevoked() -> dict[str, str]:
    """The serial of the Server of each agent that nobody has revoked, by the hash of its token. One query."""
    return dict(Agent.objects.filter(revoked_at__isnull=True).values_list("token_hash", "server"))


def active() -> dict[str, str]:
    """Those that may send: unrevoked, and their Server stands in the fleet. Two queries."""
    agents = unrevoked()
    standing = live.known(serials=set(agents.values()))
    return {token: server for token, server in agents.items() if server in standing}
