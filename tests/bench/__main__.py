"""python -m tests.bench [name]: one line for each figure. A benchmark is a module `bench_<name>` here with `measure()`, which gives a Figure or several."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

PREFIX = "bench_"


def names() -> list[str]:
    return sorted(path.stem.removeprefix(PREFIX) for path in Path(__file__).parent.glob(f"{PREFIX}*.py"))


def main(wanted: list[str]) -> int:
    """Run the named benchmarks, all of them when none is named. 2 for a name that does not exist."""
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(names())}", file=sys.stderr)
        return 2
    for name in wanted or names():
        found = importlib.import_module(f"tests.bench.{PREFIX}{name}").measure()
        for figure in found if isinstance(found, tuple) else (found,):
            print(figure.line(name), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
