"""Every command of the Makefile leads somewhere, and CI runs make test."""

import re

from tests.bench import __main__ as bench
from tests.house import tree

MAKEFILE = (tree.ROOT / "Makefile").read_text()


def test_the_make_targets_that_people_are_told_of_exist():
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))

    assert {"demo", "serve", "assets", "test", "test-slow", "lint", "fmt", "shots", "bench", "journey", "clean"} <= targets


def test_ci_runs_make_test_and_nothing_weaker():
    lines = [line for line in (tree.ROOT / ".ci" / "run").read_text().splitlines() if line and not line.startswith("#")]

    assert lines[-1] == "exec make test"
    assert not re.search(r"test:.*\n(?:\t.*\n)*\t-", MAKEFILE)  # no step of it may fail unseen


def test_there_are_benchmarks_and_a_wrong_name_is_told(capsys):
    assert bench.names()
    assert bench.main(["no-such-benchmark"]) == 2
    assert "no-such-benchmark" in capsys.readouterr().err
