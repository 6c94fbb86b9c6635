"""Every variable that the product reads from the environment is documented, and nothing else is."""

import ast
import re

from portal import settings
from tests.house import tree

VARIABLE = re.compile(r"(PORTAL|STRIPE|DATABASE|REDIS)(_[A-Z0-9]+)+")
DOCUMENT = tree.ROOT / "docs" / "settings.md"


def _documented() -> set[str]:
    return {match[0] for match in re.finditer(r"(?<=^\| `)[A-Z0-9_]+(?=`)", DOCUMENT.read_text(), re.MULTILINE)}


def _named_in_code() -> set[str]:
    """Names of variables in string literals anywhere in the product, for what reads the environment outside of portal.settings."""
    return {
        node.value
        for path in tree.modules(*tree.FLOORS)
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and VARIABLE.fullmatch(node.value)
    }


def test_every_setting_is_documented():
    missing = (set(settings.env.known) | _named_in_code()) - _documented()

    assert not missing, missing


def test_every_documented_setting_exists():
    invented = _documented() - set(settings.env.known) - _named_in_code()

    assert not invented, invented
