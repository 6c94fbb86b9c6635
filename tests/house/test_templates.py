"""Templates pass the linter."""

import subprocess
import sys

from tests.house import tree


def test_the_template_linter_finds_nothing():
    command = [sys.executable, "-m", "djlint", "--lint", "--quiet", "templates"]
    linted = subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True)

    assert linted.returncode == 0, linted.stdout + linted.stderr
