"""The house stands: floors, rooms and doors (design.md 3) hold."""

from importlinter.cli import lint_imports


def test_every_import_contract_is_kept():
    assert lint_imports(no_cache=True) == 0
