"""The house stands: floors, rooms and doors (design.md 3) hold, and each contract notices when they do not."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house import tree

# For each contract one line that breaks it and the module into which the line is put.
VIOLATIONS = {
    "floors": ("billing/domain/intruder.py", "import rentals.domain"),
    "rooms": ("rentals/services/intruder.py", "import rentals.views.intruder"),
    "pure": ("portal/kernel/intruder.py", "import django"),
    "agent-alone": ("monitoring/agent/intruder.py", "import portal.toolkit.tasks"),
    "thin": ("rentals/views/intruder.py", "import rentals.models.bookings"),
    "cycle-free": ("portal/live/intruder.py", "import portal.toolkit.intruder"),
    "doors-accounts": ("billing/services/intruder_a.py", "import portal.accounts.models.people"),
    "doors-billing": ("rentals/services/intruder_b.py", "import billing.models.agreements"),
    "doors-rentals": ("monitoring/services/intruder_c.py", "import rentals.models.bookings"),
    "doors-monitoring": ("portal/web/intruder_d.py", "import monitoring.models.telemetry"),
    "domain-down": ("billing/domain/intruder_e.py", "import billing.services.intruder_a"),
    "doors-adapters": ("billing/views/intruder_f.py", "import billing.gateways.intruder"),
    "kernel-alone": ("portal/embedded/intruder_g.py", "import rentals.domain"),
}
BYSTANDERS = {"portal/toolkit/intruder.py": "import portal.live.intruder", "billing/gateways/intruder.py": ""}


def _contracts() -> dict[str, str]:
    configured = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {contract["id"]: contract["name"] for contract in configured}


def _lint(folder: Path) -> str:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(folder), "COLUMNS": "200"}).stdout


@pytest.fixture(scope="module")
def broken_house(tmp_path_factory) -> str:
    """What the linter says of a copy of the tree with one intruder for each contract."""
    copy = tmp_path_factory.mktemp("house")
    for path in [*tree.modules(*tree.FLOORS), Path("pyproject.toml")]:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree.ROOT / path, copy / path)
    for name, line in [*VIOLATIONS.values(), *BYSTANDERS.items()]:
        (copy / name).write_text(f"{line}\n")
    return _lint(copy)


def test_every_import_contract_is_kept():
    report = _lint(tree.ROOT)

    assert f"{len(_contracts())} kept, 0 broken" in report, report


def test_every_contract_has_an_intruder():
    assert set(VIOLATIONS) == set(_contracts())


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_contract_notices_its_intruder(broken_house, contract):
    name = re.escape(_contracts()[contract])
    section = re.search(rf"^{name}\n-+\n(.*?)(?=\n\n\n|\Z)", broken_house, re.MULTILINE | re.DOTALL)

    assert section, broken_house
    assert "intruder" in section[1]
