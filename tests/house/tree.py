"""Reading the tree: which files are ours and what is in them."""

from __future__ import annotations

import ast
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("portal", "rentals", "billing", "monitoring")
APPS = ("portal/accounts", "rentals", "billing", "monitoring")
BINARY = {".png", ".jpg", ".jpeg", ".gif", ".ico", ".woff", ".woff2", ".ttf", ".otf", ".pdf", ".mo", ".gz"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def files() -> list[Path]:
    """Every file that git tracks or would track, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file())


def text_files() -> list[Path]:
    return [path for path in files() if path.suffix not in BINARY]


def modules(*tops: str) -> list[Path]:
    """Python files below `tops` (product and tests when none is given) except migrations."""
    tops = tops or (*FLOORS, "tests")
    return [
        path for path in files() if path.suffix == ".py" and path.as_posix().startswith(tuple(f"{top}/" for top in tops)) and "migrations" not in path.parts
    ]


@functools.cache
def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(text(path), str(path))


def functions(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(parsed(path)) if isinstance(node, Function))


def public_functions(path: Path) -> Iterator[Function]:
    """Functions at the top of a module that are not private to it."""
    return (node for node in parsed(path).body if isinstance(node, Function) and not node.name.startswith("_"))


def body(function: Function) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    return function.body[1:] if ast.get_docstring(function) else function.body


def lines(function: Function) -> int:
    """Lines of the body without its docstring."""
    written = body(function)
    return written[-1].end_lineno - written[0].lineno + 1 if written else 0


def statements(function: Function) -> int:
    """Statements in the body, nested ones included."""
    return sum(isinstance(node, ast.stmt) for statement in body(function) for node in ast.walk(statement))


def place(path: Path, node: ast.AST) -> str:
    return f"{path.as_posix()}:{node.lineno}"


def in_rooms(path: Path, *rooms: str) -> bool:
    """Whether a module stands in one of these rooms (a package or a module of that name) of an app, or of portal.web."""
    return any(room in path.parts or path.stem == room for room in rooms) and path.parts[0] in FLOORS
