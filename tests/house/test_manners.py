"""Manners of the code that a reader may rely on (style.md)."""

import ast
import re

from tests.house import tree

UNTOLD_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc", "stuff"}
SCAFFOLDING = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def test_no_module_has_a_name_that_says_nothing():
    assert not [str(path) for path in tree.modules() if path.stem in UNTOLD_NAMES or path.parent.name in UNTOLD_NAMES]


def test_nothing_is_left_to_be_done_in_a_comment():
    assert not [str(path) for path in tree.text_files() if path.suffix in {".py", ".html", ".js", ".css"} and SCAFFOLDING.search(tree.text(path))]


def test_the_product_raises_and_never_asserts():
    asserts = [tree.place(path, node) for path in tree.modules(*tree.FLOORS) for node in ast.walk(tree.parsed(path)) if isinstance(node, ast.Assert)]

    assert not asserts, asserts


def test_public_services_are_keyword_only_typed_and_say_what_happens():
    faults = []
    for path in tree.modules(*tree.FLOORS):
        if "services" in path.parts:
            faults += [f"{tree.place(path, function)} {function.name}: {fault}" for function in tree.public_functions(path) for fault in _faults(function)]

    assert not faults, faults


def _faults(function: tree.Function):
    arguments = function.args
    if arguments.posonlyargs or arguments.args or arguments.vararg:
        yield "takes positional arguments"
    if any(argument.annotation is None for argument in arguments.kwonlyargs) or function.returns is None:
        yield "is not fully typed"
    if not ast.get_docstring(function):
        yield "has no docstring"


def test_tasks_are_rung_after_the_commit_and_nowhere_else():
    rung = [
        tree.place(path, node)
        for path in tree.modules(*tree.FLOORS)
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"delay", "apply_async", "send_task"}
        if path.as_posix() != "portal/toolkit/tasks.py"
    ]

    assert not rung, rung


def test_packages_that_the_launcher_and_the_agent_pass_through_are_empty():
    for package in ("portal", "monitoring", "monitoring/domain"):
        assert (tree.ROOT / package / "__init__.py").read_text().strip() == "", package
