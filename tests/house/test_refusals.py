"""A refusal that says nothing of its own shows the docstring of its class, so every such docstring speaks both languages."""

import importlib
from collections.abc import Iterator

import polib

from portal.kernel import errors
from tests.house import tree
from tests.house.test_translations import CATALOG


def refusals(of: type = errors.DomainError) -> Iterator[type]:
    for kind in of.__subclasses__():
        yield kind
        yield from refusals(kind)


def test_every_refusal_has_a_sentence_in_both_languages():
    for path in tree.modules(*tree.FLOORS):
        if tree.in_rooms(path, "services", "queries", "domain", "views", "api", "kernel", "toolkit", "web", "consumers") and "management" not in path.parts:
            importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    written = {entry.msgid for entry in polib.pofile(str(CATALOG)) if entry.msgstr}

    silent = {f"{kind.__module__}.{kind.__name__}: {' '.join((kind.__doc__ or '').split())}" for kind in refusals()}
    missing = sorted(line for line in silent if line.partition(": ")[2] not in written and not line.startswith("tests."))

    assert not missing, "without a Chinese translation:\n" + "\n".join(missing)
