"""Migrations are complete and stand on their own: code of the app may change under them, they may not."""

import ast
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.house import tree

MIGRATIONS = [path for path in tree.files() if path.suffix == ".py" and "migrations" in path.parts and path.stem != "__init__"]


def test_models_and_migrations_agree(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=1)


@pytest.mark.parametrize("path", MIGRATIONS, ids=str)
def test_a_migration_imports_no_code_of_the_product(path):
    assert not _imports(path) & set(tree.FLOORS)


def test_each_number_is_given_once_in_an_app():
    numbers = [(path.parent, path.stem.split("_")[0]) for path in MIGRATIONS]

    assert len(numbers) == len(set(numbers))


def _imports(path: Path) -> set[str]:
    tops = set()
    for node in ast.walk(tree.parsed(path)):
        if isinstance(node, ast.Import):
            tops |= {name.name.split(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom):
            tops.add((node.module or "").split(".")[0])
    return tops
