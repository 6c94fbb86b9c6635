"""Every command of the Makefile leads somewhere, and CI runs make test."""

import re
import types

from tests.bench import __main__ as bench
from tests.bench.figure import Figure
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


def test_every_figure_of_a_benchmark_is_told(monkeypatch, capsys):
    figures = (Figure(2, 1, "ms", "apples"), Figure(4, 1, "ms", "pears"))
    monkeypatch.setattr(bench.importlib, "import_module", lambda name: types.SimpleNamespace(measure=lambda: figures))

    assert bench.main(["start"]) == 0
    assert capsys.readouterr().out.splitlines() == ["start: 2 ms, control 1 ms, ratio 0.50 (apples)", "start: 4 ms, control 1 ms, ratio 0.25 (pears)"]


def test_benchmarks_get_settings_that_need_no_installation():
    """Beside bare engines nobody gives them a secret key."""
    assert re.search(r"^bench:.*\n\t@PORTAL_TESTING=1 ", MAKEFILE, re.MULTILINE)
