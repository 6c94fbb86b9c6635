"""What must import without Django: the kernel, the domain rooms, the agent on a GPU node, and the launcher before anything is installed."""

import subprocess
import sys
import textwrap

import pytest

from tests.house import tree

IMPORT_WITHOUT = textwrap.dedent("""
    import importlib, pkgutil, sys
    from pathlib import Path

    blocked, alone, wanted = set(sys.argv[1].split(",")), sys.argv[2] == "alone", sys.argv[3:]

    class Refuse:
        def find_spec(self, name, path=None, target=None):
            top = name.split(".")[0]
            if top in blocked or (alone and top not in sys.stdlib_module_names and top not in {"portal", "monitoring"}):
                raise ImportError(f"{name} is not to be imported here")

    sys.meta_path.insert(0, Refuse())
    for name in wanted:
        importlib.import_module(name)
    print(" ".join(wanted))
""")
FRAMEWORKS = "django,celery,rest_framework,channels,redis,psycopg,stripe"


def _dotted(*tops: str) -> list[str]:
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in tree.modules(*tops)]


def _import_in_a_child(modules: list[str], *, blocked: str, alone: bool) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", IMPORT_WITHOUT, blocked, "alone" if alone else "with others", *modules]
    return subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True, timeout=60)


def test_kernel_domain_and_agent_import_without_a_framework():
    modules = _dotted("portal/kernel", "rentals/domain", "billing/domain", "monitoring/domain", "monitoring/agent", "portal/accounts/domain")

    child = _import_in_a_child(modules, blocked=FRAMEWORKS, alone=False)

    assert child.returncode == 0, child.stderr
    assert set(child.stdout.split()) == set(modules)


def test_the_agent_needs_nothing_but_the_standard_library_to_start():
    child = _import_in_a_child(_dotted("monitoring/agent", "monitoring/domain"), blocked="", alone=True)

    assert child.returncode == 0, child.stderr


def test_the_launcher_and_supervisor_need_nothing_but_the_standard_library():
    child = _import_in_a_child(_dotted("portal/embedded"), blocked="", alone=True)

    assert child.returncode == 0, child.stderr


@pytest.mark.parametrize(("blocked", "alone"), [("django", False), ("", True)])
def test_a_forbidden_import_would_be_noticed(blocked, alone):
    assert _import_in_a_child(["django"], blocked=blocked, alone=alone).returncode != 0
