"""No float and no naive moment near money (design.md 4.11)."""

import ast

import pytest

from tests.house import tree

WAITING = ("sleep", "timeout", "delay", "wait")  # seconds to wait are not money
NAIVE = {"utcnow", "utcfromtimestamp", "today"}


def _waits(name: str) -> bool:
    return any(word in name.lower() for word in WAITING)


class Floats(ast.NodeVisitor):
    """Collects each place where a float may come into being. The argument of something that waits is none of them."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, float):
            self.found.append(f"{node.lineno}: the literal {node.value}")

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in {"float", "round"}:
            self.found.append(f"{node.lineno}: {node.id}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in {"FloatField", "total_seconds", *NAIVE}:
            self.found.append(f"{node.lineno}: {node.attr}")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if not _waits(name):
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if not _waits(node.arg or ""):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not _waits(getattr(node.target, "id", "")):
            self.generic_visit(node)


def floats_in(source: str) -> list[str]:
    visitor = Floats()
    visitor.visit(ast.parse(source))
    return visitor.found


@pytest.mark.parametrize("path", tree.modules("billing", "portal/kernel"), ids=str)
def test_no_float_comes_near_money(path):
    assert not floats_in(tree.text(path))


@pytest.mark.parametrize("source", ["a = 0.1", "a = float(b)", "a = round(b, 2)", "a = models.FloatField()", "a = d.total_seconds()", "a = datetime.utcnow()"])
def test_a_float_would_be_found(source):
    assert floats_in(source)


def test_seconds_to_wait_may_be_a_float():
    assert not floats_in("time.sleep(0.1)\nask(timeout=2.5)")
