"""A program that the supervisor starts, watches, starts again and stops."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from portal.embedded.probes import Probe
from portal.embedded.state import ROOT

PR_SET_PDEATHSIG = 1
LONG_ENOUGH = 30  # seconds alive after which a death is a new accident, not the same one again
LONGEST_PAUSE = 10
LAST_LINES = 2000
RETRY = 10


class StartFailed(Exception):
    """A program died or stayed silent at its start; the message ends with the end of its log."""


@dataclass(frozen=True)
class Program:
    """What to run. `ready` is asked until it says yes; `become` runs in the child before exec (who it is, which namespace)."""

    name: str
    command: list[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Probe | None = None
    become: Callable[[], None] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGKILL  # what the kernel sends when the supervisor is killed
    patience: int = 60  # seconds to get ready
    grace: int = 12  # seconds to stop
    passing: tuple[str, ...] = ()  # last words of a death at the start that passes by itself: tried again for RETRY seconds


class Child:
    """One Program under watch. `changed` is called whenever its process is another one."""

    def __init__(self, program: Program, *, say: Callable[[str], None], changed: Callable[[], None]) -> None:
        self.program = program
        self.say = say
        self.changed = changed
        self.process: asyncio.subprocess.Process | None = None
        self.watch: asyncio.Task | None = None

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process and self.process.returncode is None else None

    async def start(self) -> None:
        """Start and wait until ready, then keep watch. Raises StartFailed."""
        await self._start_patiently()
        self.watch = asyncio.create_task(self._keep_alive())

    async def stop(self) -> None:
        """Ask it to stop; kill it when its grace is over."""
        if self.watch:
            self.watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.watch
        process = self.process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(self.program.stop_signal)
        try:
            await asyncio.wait_for(process.wait(), self.program.grace)
        except TimeoutError:
            self.say(f"{self.program.name} did not stop in {self.program.grace} s and was killed")
            process.kill()
            await process.wait()

    async def _start_patiently(self) -> None:
        deadline = time.monotonic() + RETRY
        while True:
            try:
                return await self._start_once()
            except StartFailed as failure:
                if time.monotonic() > deadline or not any(words in str(failure) for words in self.program.passing):
                    raise
            await asyncio.sleep(0.2)

    async def _start_once(self) -> None:
        with self.program.log.open("ab") as log:
            self.process = process = await asyncio.create_subprocess_exec(
                *self.program.command,
                cwd=ROOT,
                env={**os.environ, **self.program.environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=before_exec(self.program.death_signal, self.program.become),
            )
        self.changed()
        await self._wait_until_ready(process)

    async def _wait_until_ready(self, process: asyncio.subprocess.Process) -> None:
        deadline = time.monotonic() + self.program.patience
        while self.program.ready:
            if process.returncode is not None:
                raise StartFailed(f"{self.program.name} ended with {process.returncode} at its start:\n{self._last_lines()}")
            if await self.program.ready():
                return
            if time.monotonic() > deadline:
                process.kill()
                raise StartFailed(f"{self.program.name} was not ready after {self.program.patience} s:\n{self._last_lines()}")
            await asyncio.sleep(0.05)

    async def _keep_alive(self) -> None:
        pause = 0.2
        while process := self.process:
            begun = time.monotonic()
            code = await process.wait()
            pause = 0.2 if time.monotonic() - begun > LONG_ENOUGH else min(pause * 2, LONGEST_PAUSE)
            self.say(f"{self.program.name} ended with {code}; starting it again in {pause:.1f} s")
            await asyncio.sleep(pause)
            try:
                await self._start_patiently()
            except StartFailed as failure:
                self.say(str(failure).partition("\n")[0])
            else:
                self.say(f"{self.program.name} is back")

    def _last_lines(self) -> str:
        return f"{self.program.log.read_text(errors='replace')[-LAST_LINES:]}\n(all of it in {self.program.log})"


async def run_to_its_end(command: list[str], log: Path) -> int:
    """The exit status of a program that ends by itself; it ends with us when we are cancelled or killed."""
    with log.open("wb") as output:
        child = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=before_exec(signal.SIGKILL)
        )
    try:
        return await child.wait()
    finally:
        if child.returncode is None:
            child.kill()


def before_exec(death_signal: signal.Signals, become: Callable[[], None] | None = None) -> Callable[[], None]:
    """What a child does before it becomes the program: a session of its own, so that the terminal's Ctrl-C reaches the supervisor only, and a signal
    from the kernel when the supervisor is gone, so that nothing is left behind. The second one after `become`: changing the user clears it."""
    supervisor = os.getpid()

    def prepare() -> None:
        os.setsid()
        os.umask(0o077)
        if become:
            become()
        die_with(supervisor, death_signal)

    return prepare


def die_with(parent: int, death_signal: signal.Signals = signal.SIGKILL) -> None:
    """In a child: let the kernel send `death_signal` when `parent` is gone. Linux only; elsewhere a killed supervisor leaves its children."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, int(death_signal))
        if os.getppid() != parent:  # it died in between
            os._exit(1)


LIBC = ctypes.CDLL(None, use_errno=True)
