"""python -m portal.embedded demo                     the portal with demo data, until Ctrl-C
python -m portal.embedded serve                    the portal as the environment says, until Ctrl-C
python -m portal.embedded run --engines -- WORDS   PostgreSQL and Valkey in a throw-away folder while the command WORDS runs
python -m portal.embedded run --stack -- WORDS     the whole demo in a throw-away folder on free ports while the command WORDS runs"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Coroutine
from functools import partial
from pathlib import Path

from portal.embedded import postgres, programs, supervisor, valkey
from portal.embedded import state as states
from portal.embedded.plan import Plan
from portal.embedded.supervisor import Supervisor

REFUSALS = (states.StateInUse, states.UnsafeFolder, postgres.CannotRun, valkey.CannotRun, programs.StartFailed, supervisor.StepFailed)


def main(arguments: list[str]) -> int:
    """The exit status; 1 with a message when something could not be started, 2 for words that mean nothing here."""
    if arguments in (["demo"], ["serve"]):
        return _until_stopped(demo=arguments == ["demo"])
    if len(arguments) > 3 and arguments[:1] == ["run"] and arguments[1] in ("--engines", "--stack") and arguments[2] == "--":
        return _around(arguments[3:], stack=arguments[1] == "--stack")
    print(__doc__, file=sys.stderr)
    return 2


def _until_stopped(*, demo: bool) -> int:
    try:
        state = states.State(Path(os.environ.get("PORTAL_VAR") or states.ROOT / "var"))
    except REFUSALS as refusal:
        print(refusal, file=sys.stderr)
        return 1
    portal = Supervisor(Plan(state=state, demo=demo))
    return _finish(portal, asyncio.run(_supervise(portal, _serve(portal))))


def _around(command: list[str], *, stack: bool) -> int:
    portal = Supervisor(Plan(state=states.State.temporary(), demo=stack, durable=stack, anywhere=True))
    return _finish(portal, asyncio.run(_supervise(portal, _serve_while(portal, command, stack=stack))))


def _finish(portal: Supervisor, code: int) -> int:
    portal.state.close()
    return code


async def _supervise(portal: Supervisor, work: Coroutine[None, None, int]) -> int:
    """Do the work until it ends or a signal comes, then stop everything that was started."""
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    reaper = asyncio.create_task(supervisor.reap_orphans(portal)) if os.getpid() == 1 else None
    working = asyncio.create_task(work)
    asking = asyncio.create_task(asked.wait())
    try:
        await asyncio.wait({working, asking}, return_when=asyncio.FIRST_COMPLETED)
        return await _result(portal, working)
    finally:
        for task in filter(None, (asking, reaper)):
            task.cancel()
        await portal.stop()
        portal.say("Stopped")


async def _result(portal: Supervisor, working: asyncio.Task[int]) -> int:
    if not working.done():
        portal.say("Stopping ...")
        working.cancel()
    try:
        return await working
    except asyncio.CancelledError:
        return 0
    except REFUSALS as refusal:
        print(refusal, file=sys.stderr)
        return 1


async def _serve(portal: Supervisor) -> int:
    await portal.start_engines()
    await portal.start_portal()
    portal.welcome()
    await portal.start_workers()
    await asyncio.Event().wait()  # until a signal cancels this
    return 0


async def _serve_while(portal: Supervisor, command: list[str], *, stack: bool) -> int:
    await portal.start_engines()
    if stack:
        await portal.start_portal()
        await portal.start_workers()
        portal.welcome()
    child = await asyncio.create_subprocess_exec(*command, preexec_fn=partial(programs.die_with, os.getpid()))
    try:
        return await child.wait()
    finally:
        if child.returncode is None:
            child.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(child.wait(), 20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
