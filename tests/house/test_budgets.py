"""Budgets (style.md): over budget? A new noun is asking for its own module."""

import tomllib

import pytest

from tests.house import tree

VIEW_LINES, FUNCTION_STATEMENTS, COMPLEXITY, MODULE_LINES = 15, 30, 8, 400


@pytest.mark.parametrize("path", tree.modules(*tree.FLOORS), ids=str)
def test_a_module_has_at_most_400_lines(path):
    assert tree.text(path).count("\n") <= MODULE_LINES


def test_a_function_has_at_most_30_statements():
    long = [
        f"{tree.place(path, function)} {function.name}: {tree.statements(function)}"
        for path in tree.modules(*tree.FLOORS)
        for function in tree.functions(path)
        if tree.statements(function) > FUNCTION_STATEMENTS
    ]

    assert not long, long


def test_a_view_has_at_most_15_lines():
    long = [
        f"{tree.place(path, function)} {function.name}: {tree.lines(function)}"
        for path in tree.modules(*tree.FLOORS)
        if tree.in_rooms(path, "views", "api", "consumers", "tasks", "receivers")
        for function in tree.functions(path)
        if tree.lines(function) > VIEW_LINES
    ]

    assert not long, long


def test_complexity_is_held_by_ruff_and_nowhere_excused():
    ruff = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    excuse = "noqa: " + "C901"

    assert ruff["mccabe"]["max-complexity"] == COMPLEXITY
    assert "C90" in ruff["select"]
    assert not [str(path) for path in tree.modules() if excuse in tree.text(path)]
