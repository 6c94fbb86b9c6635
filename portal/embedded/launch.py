"""The first thing that runs: prerequisites, .venv, words and assets, then the work itself. Standard library only, on whatever Python the machine has.

python3 -m portal.embedded.launch prepare [--dev] [--assets] [--browser]
python3 -m portal.embedded.launch demo | serve | run ...      (see portal.embedded.__main__)
"""

import os
import shutil
import subprocess
import sys
import time

OLDEST = (3, 11)
CANDIDATES = ("python3.14", "python3.13", "python3.12", "python3.11")


def main(arguments: list) -> int:
    """Make the machine ready for `arguments`, then become that program. Returns only when there is nothing more to run or something is missing."""
    if sys.version_info < OLDEST:
        return _again_with_a_newer_python(arguments)
    from portal.embedded import preflight

    command, options = (arguments or ["prepare"])[0], arguments[1:]
    started = time.monotonic()
    try:
        return _make_ready_and_run(command, options, started)
    except preflight.NotReady as refusal:
        print(refusal, file=sys.stderr)
        return 1


def _make_ready_and_run(command: str, options: list, started: float) -> int:
    from portal.embedded import assets, environment, preflight

    dev = "--dev" in options
    preflight.check(dev=dev, browser="--browser" in options)
    with environment.one_at_a_time():
        python = environment.make(dev=dev)
        environment.compile_words(python)
        if command != "prepare" or "--assets" in options:
            assets.make(python)
    if command == "prepare":
        return 0
    os.environ["PORTAL_SECONDS_SPENT"] = f"{time.monotonic() - started:.1f}"
    os.execv(python, [str(python), "-m", "portal.embedded", command, *options])


def _again_with_a_newer_python(arguments: list) -> int:
    for name in CANDIDATES:
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", "pass"], stderr=subprocess.DEVNULL).returncode == 0:
            os.execv(path, [path, "-m", "portal.embedded.launch", *arguments])
    print("The portal needs Python {}.{} or newer with venv; this is {}.".format(*OLDEST, sys.version.split()[0]), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
