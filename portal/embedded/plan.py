"""Which programs make up the portal, on which ports, and what each is told through its environment."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Any

from portal.embedded import ports, probes
from portal.embedded.programs import Program
from portal.embedded.state import State

PYTHON = [sys.executable, "-m"]
PREFERRED = {"web": 8000, "valkey": 6390, "engine": 8090, "stripe": 8091}
DEMO_SPEED = "20"  # a server is ready in half a minute instead of ten
WEBHOOK = "/billing/gateway/stripe/events/"


@dataclass
class Plan:
    """One portal: its state folder, whether it is the demo, and the ports it took. What the operator brings in the environment is not started."""

    state: State
    demo: bool
    durable: bool = True
    anywhere: bool = False  # free ports only, for runs that must not meet another portal
    given: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def __post_init__(self) -> None:
        kept = {} if self.anywhere else {**PREFERRED, **self.state.read("ports.json")}
        self.ports = {name: ports.choose(kept.get(name, 0)) for name in PREFERRED}
        self.state.write("ports.json", self.ports)

    @property
    def own_postgres(self) -> bool:
        return not self.given.get("DATABASE_URL")

    @property
    def own_valkey(self) -> bool:
        return not self.given.get("REDIS_URL")

    @property
    def own_engine(self) -> bool:
        return not self.given.get("PORTAL_SIMULATED_ENGINE_URL")

    @property
    def own_stripe(self) -> bool:
        return not self.given.get("STRIPE_SECRET_KEY")

    @property
    def address(self) -> str:
        return self.given.get("PORTAL_BASE_URL") or self.at("web")

    def at(self, name: str) -> str:
        return f"http://{ports.LOOPBACK}:{self.ports[name]}"

    def environment(self) -> dict[str, str]:
        """What the programs find in their environment on top of what the supervisor was given."""
        told = {"PORTAL_VAR": str(self.state.root), "PORTAL_BASE_URL": self.address, "PYTHONUNBUFFERED": "1"}
        if self.demo:
            told |= {"PORTAL_DEMO": "1", "PORTAL_ENGINE_SPEED": self.given.get("PORTAL_ENGINE_SPEED", DEMO_SPEED)}
        if self.own_engine:
            told |= {"PORTAL_SIMULATED_ENGINE_URL": self.at("engine"), "PORTAL_ENGINE_PORT": str(self.ports["engine"])}
        if self.own_stripe:
            told |= {
                "STRIPE_SECRET_KEY": f"sk_test_{self.state.secret('stripe-key')}",
                "STRIPE_WEBHOOK_SECRETS": f"whsec_{self.state.secret('stripe-webhook')}",
                "STRIPE_WEBHOOK_URL": f"{self.at('web')}{WEBHOOK}",
                "STRIPE_API_BASE": self.at("stripe"),
                "STRIPE_CHECKOUT_ORIGIN": self.at("stripe"),
                "PORTAL_STRIPE_PORT": str(self.ports["stripe"]),
            }
        return told

    def outside_systems(self) -> list[Program]:
        """The simulated engine and the Stripe stand-in, where the operator brings none."""
        programs = []
        if self.own_engine:
            programs.append(self._program("engine", [*PYTHON, "rentals.provisioners.simulated.server"], ready=probes.http(self.ports["engine"], "/healthz")))
        if self.own_stripe:
            programs.append(self._program("stripe", [*PYTHON, "billing.gateways.simulated.server"], ready=probes.http(self.ports["stripe"], "/healthz")))
        return programs

    def web(self) -> Program:
        deflate = "false" if self.demo else "true"  # 6.8 times fewer bytes for a third more CPU: worth it beyond loopback
        command = [*PYTHON, "uvicorn", "portal.asgi:application", "--host", ports.LOOPBACK, "--port", str(self.ports["web"])]
        command += ["--lifespan", "off", "--timeout-graceful-shutdown", "5", "--no-access-log", "--ws-per-message-deflate", deflate]
        command += [
            "--ws-ping-interval",
            "15",
            "--ws-ping-timeout",
            "15",
        ]  # proxies drop lines that are idle for 60 s, and a dead peer is gone in half a minute
        return self._program("web", command, ready=probes.http(self.ports["web"], "/healthz"))

    def workers(self) -> list[Program]:
        celery = [*PYTHON, "celery", "-A", "portal"]
        # Threads: tasks wait for engines and the database; forked children would cost a whole Python each.
        worker = ["worker", "--pool", "threads", "--concurrency", "4", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
        beat = ["beat", "--loglevel", "INFO", "--schedule", str(self.state.root / "beat-schedule"), "--pidfile="]
        return [self._program("worker", [*celery, *worker], grace=15), self._program("beat", [*celery, *beat])]

    def agents(self) -> Program:
        fleet = str(self.state.root / "fleet.json")  # written by the demo's data, read again when it changes
        return self._program("agents", [*PYTHON, "monitoring.agent.fleet", "--url", self.at("web"), "--fleet", fleet])

    def _program(self, name: str, command: list[str], **how: Any) -> Program:
        return Program(name=name, command=command, log=self.state.log(name), **how)
