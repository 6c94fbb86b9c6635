"""The Stripe stand-in as a process of its own, on a free port, with a memory that survives `kill -9`; and an endpoint that takes down its events."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]
KEY, SECRET = "sk_test_contracts", "whsec_contracts"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class StandIn:
    """`control(path, **wish)` talks to /_control/; `kill()` is kill -9; `start()` brings it back on the same port with the same memory."""

    var: Path
    webhook_url: str = ""
    secrets: str = SECRET
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> StandIn:
        environment = {
            **os.environ,
            "PORTAL_VAR": str(self.var),
            "PORTAL_STRIPE_PORT": str(self.port),
            "STRIPE_SECRET_KEY": KEY,
            "STRIPE_WEBHOOK_URL": self.webhook_url,
            "STRIPE_WEBHOOK_SECRETS": self.secrets,
        }
        command = [sys.executable, "-m", "billing.gateways.simulated.server"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        self._wait_until_it_answers()
        return self

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the stand-in ended with {self.process.returncode}")
            try:
                if httpx.get(f"{self.url}/healthz", trust_env=False).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise RuntimeError("the stand-in does not answer")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)

    def control(self, path: str, **wish: object) -> dict:
        answer = httpx.post(f"{self.url}/_control/{path}", json=wish, trust_env=False)
        answer.raise_for_status()
        return answer.json()

    def next(self, what: str, **more: object) -> None:
        self.control("next", what=what, **more)

    def state(self) -> dict:
        return httpx.get(f"{self.url}/_control/state", trust_env=False).json()

    def pay(self, session: str, card: str = "4242424242424242") -> None:
        """Choose a card on the hosted page, as a browser without script does."""
        page = httpx.post(f"{self.url}/c/pay/{session}", data={"card": card}, trust_env=False)
        assert page.status_code == 303, page.text

    def answer_challenge(self, intent: str, answer: str) -> str:
        """What the bank's page does; returns where it leads."""
        page = httpx.post(f"{self.url}/3ds/{intent}", data={"answer": answer}, trust_env=False)
        assert page.status_code == 303, page.text
        return page.headers["location"]


@dataclass
class Received:
    body: bytes
    signature: str


class Endpoint:
    """An HTTP endpoint that keeps what it is sent and answers from `answers` first, 200 afterwards."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answers: list[int] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append(Received(body, self.headers["Stripe-Signature"]))
                self.send_response(outer.answers.pop(0) if outer.answers else 200)
                self.end_headers()

            def log_message(self, *_arguments: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/events/"

    def wait_for(self, number: int, seconds: int = 20) -> list[Received]:
        """The first `number` messages or more; fails when they do not come."""
        deadline = time.monotonic() + seconds
        while len(self.received) < number:
            assert time.monotonic() < deadline, f"{len(self.received)} of {number} messages came"
            time.sleep(0.02)
        return list(self.received)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
