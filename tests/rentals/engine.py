"""The simulated engine for tests: as a real process on a free port, or in the test's own process with a clock that the test turns."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx

from rentals.provisioners.simulated import server
from rentals.provisioners.simulated.client import Simulated
from rentals.provisioners.simulated.rack import Rack
from rentals.provisioners.simulated.store import Store


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class EngineProcess:
    """The engine as an outside process that can be killed and started again on the same state."""

    def __init__(self, folder: Path, *, speed: int = 1000, faults: str = "") -> None:
        self.folder, self.speed, self.faults = folder, speed, faults
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        env = {
            **os.environ, "PORTAL_VAR": str(self.folder), "PORTAL_ENGINE_PORT": str(self.port), "PORTAL_ENGINE_SPEED": str(self.speed),
            "PORTAL_ENGINE_FAULTS": self.faults,
        }  # fmt: skip
        self._process = subprocess.Popen([sys.executable, "-m", "rentals.provisioners.simulated.server"], env=env)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "the simulated engine did not start"
            try:
                if httpx.get(f"{self.address}/healthz", trust_env=False, timeout=1).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError("the simulated engine does not answer")

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(10)

    def restart(self) -> None:
        self.kill()
        self.start()

    def fault(self, kind: str, **rule: object) -> None:
        httpx.post(f"{self.address}/control/faults", json={"kind": kind, **rule}, trust_env=False).raise_for_status()

    def clear_faults(self) -> None:
        httpx.delete(f"{self.address}/control/faults", trust_env=False).raise_for_status()

    def alter(self, serial: str, **wish: object) -> None:
        httpx.post(f"{self.address}/control/machines/{serial}", json=wish, trust_env=False).raise_for_status()


@contextmanager
def process(folder: Path, **options: object):
    engine = EngineProcess(folder, **options)
    try:
        yield engine
    finally:
        engine.kill()


class EngineHere:
    """The same engine without socket and process, over a clock that only the test moves. `client` is the real adapter."""

    def __init__(self, folder: Path, clock) -> None:
        self.store = Store(folder / "engine" / "state.sqlite3")
        self.store._db.execute("PRAGMA synchronous=OFF")  # nobody kills this process
        self.rack = Rack(self.store, speed=1, seed=1, clock=clock)
        self._bridge = _Bridge(server.build(self.rack))
        self.client = Simulated("http://engine", transport=self._bridge)

    def fault(self, kind: str, **rule: object) -> None:
        with self.store.transaction():
            self.rack.faults.add({"kind": kind, **rule})

    def alter(self, serial: str, **wish: object) -> None:
        request = httpx.Request("POST", f"http://engine/control/machines/{serial}", json=wish)
        assert self._bridge.handle_request(request).status_code == 204

    def restart(self) -> None:
        with self.store.transaction():
            self.rack.recover()


class _Bridge(httpx.BaseTransport):
    """Carries the adapter's requests to the engine in this process."""

    def __init__(self, app) -> None:
        self._transport = httpx.ASGITransport(app=app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return asyncio.run(self._carry(request))
        except AssertionError as error:  # the engine left in the middle of its answer
            raise httpx.RemoteProtocolError("peer closed connection") from error

    async def _carry(self, request: httpx.Request) -> httpx.Response:
        sent = httpx.Request(request.method, request.url, headers=request.headers, content=request.read())
        answer = await self._transport.handle_async_request(sent)
        return httpx.Response(answer.status_code, headers=answer.headers, content=await answer.aread())
