"""One portal under watch: engines first, then the portal's own programs; stopped in the opposite order."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Coroutine, Iterable

from portal.embedded import postgres, programs, valkey
from portal.embedded.plan import Plan
from portal.embedded.programs import Child, Program
from portal.embedded.stamps import Stamps, Step

STOP_ORDER = (("agents", "beat"), ("worker", "web"), ("engine", "stripe"), ("valkey", "postgres"))
REAP_SECONDS = 1


class StepFailed(Exception):
    """A step that runs once (migrations, demo data) ended with an error; the message ends with its output."""


class Supervisor:
    """Starts, watches and stops the programs of a Plan. Children inherit the environment that it builds up."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state = plan.state
        self.children: dict[str, Child] = {}
        self.begun = time.monotonic() - float(os.environ.pop("PORTAL_SECONDS_SPENT", "0"))

    async def start_engines(self) -> None:
        """PostgreSQL with its database, and Valkey. Raises CannotRun or StartFailed."""
        starting = []
        if self.plan.own_postgres:
            starting.append(self._start_postgres())
        if self.plan.own_valkey:
            starting.append(self._start_valkey())
        await together(*starting)
        os.environ.update(self.plan.environment())
        self.note_running()

    async def start_portal(self) -> None:
        """Everything above the engines; returns when the address answers and demo data, where wanted, has been loaded once. Raises StartFailed or
        StepFailed."""
        await together(self._prepare("migrate", "static"), *(self._watch(program) for program in self.plan.outside_systems()))
        first_time = ["demo"] if self.plan.demo else []
        await together(self._watch(self.plan.web()), self._prepare(*first_time))

    async def start_workers(self) -> None:
        """What need not be there for the first page: worker, beat, and in the demo its data brought up to date and the agents that send telemetry."""
        for program in self.plan.workers():
            await self._watch(program)
        if self.plan.demo:
            await self.manage("demo")
            await self._watch(self.plan.agents())

    async def stop(self) -> None:
        """Stop all, in order, each within its grace."""
        for names in STOP_ORDER:
            await asyncio.gather(*(self.children[name].stop() for name in names if name in self.children))

    async def manage(self, *command: str) -> None:
        """Run a management command to its end. Raises StepFailed with the end of its output."""
        log = self.state.log(command[0])
        code = await programs.run_to_its_end([sys.executable, "manage.py", *command], log)
        if code:
            raise StepFailed(f"manage.py {' '.join(command)} ended with {code}:\n{log.read_text(errors='replace')[-3000:]}")

    def say(self, text: str) -> None:
        print(f"[{time.monotonic() - self.begun:6.1f} s] {text}", flush=True)

    def welcome(self) -> None:
        """The address, and in the demo who may log in."""
        seconds = time.monotonic() - self.begun
        lines = ["", f"Ready in {seconds:.1f} s: {self.plan.address}", ""]
        lines += [f"  {one['who']:<18}{one['email']:<28}{one['password']}" for one in self.state.read("demo.json").get("people", [])]
        print("\n".join([*lines, "", f"State and logs: {self.state.root}. Ctrl-C stops everything.", ""]), flush=True)

    def note_running(self) -> None:
        """Leave word of what runs for other programs: addresses, process ids, the environment of manage.py (readable by the owner only)."""
        pids = {name: child.pid for name, child in self.children.items()}
        own = {name: os.environ[name] for name in sorted({"DATABASE_URL", "REDIS_URL", *self.plan.environment()}) if name in os.environ}
        self.state.write("running.json", {"supervisor": os.getpid(), "address": self.plan.address, "pids": pids, "environment": own})

    async def _start_postgres(self) -> None:
        program = await asyncio.to_thread(postgres.program, self.state, durable=self.plan.durable)
        await self._watch(program)
        await asyncio.to_thread(postgres.create_database, self.state)
        os.environ["DATABASE_URL"] = postgres.url(self.state)
        self.say("PostgreSQL is ready")

    async def _start_valkey(self) -> None:
        port = self.plan.ports["valkey"]
        await self._watch(valkey.program(self.state, port=port, durable=self.plan.durable))
        os.environ["REDIS_URL"] = valkey.url(self.state, port)
        self.say("Valkey is ready")

    async def _prepare(self, *names: str) -> None:
        """The steps of these names whose input has changed since the last start."""
        stamps = Stamps(self.state, trusted=self.plan.own_postgres)
        await together(*(self._take(step, stamps) for step in stamps.due(*names)))

    async def _take(self, step: Step, stamps: Stamps) -> None:
        self.say(step.sentence)
        await self.manage(*step.command)
        stamps.done(step)

    async def _watch(self, program: Program) -> None:
        child = self.children[program.name] = Child(program, say=self.say, changed=self.note_running)
        await child.start()


async def together(*work: Coroutine[None, None, None]) -> None:
    """Do all at once. The first failure cancels the rest and is raised as itself."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


def zombies_of(parent: int, known: Iterable[int | None]) -> list[int]:
    """Dead processes that were left to `parent` and that it did not start itself."""
    dead = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) not in known and _is_dead_child(int(entry.name), parent):
            dead.append(int(entry.name))
    return dead


def _is_dead_child(pid: int, parent: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            state, ppid = file.read().rpartition(")")[2].split()[:2]
    except OSError:
        return False
    return state == "Z" and int(ppid) == parent


async def reap_orphans(supervisor: Supervisor) -> None:
    """As process 1 (a container) the supervisor inherits orphans; an unreaped postmaster would keep its lock file valid. Only what has been dead for a
    whole round is reaped: a younger one may be a small program of our own whose status somebody is about to read."""
    seen: set[int] = set()
    while True:
        await asyncio.sleep(REAP_SECONDS)
        dead = set(zombies_of(os.getpid(), [child.process.pid for child in supervisor.children.values() if child.process]))
        for pid in seen & dead:
            os.waitpid(pid, os.WNOHANG)  # noqa: ASYNC222 - it is dead already
        seen = dead
