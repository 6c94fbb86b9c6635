"""The sprite that every page loads holds what is used and nothing else."""

import re

from tests.house import tree

NAMES = set((tree.ROOT / "static/icons.txt").read_text().split())
SEEN = [*(tree.ROOT / "templates").rglob("*.html"), *(tree.ROOT / "static/js").glob("*.js"), *tree.modules(*tree.FLOORS)]


def test_every_icon_of_a_template_is_in_the_sprite():
    asked = {name for path in (tree.ROOT / "templates").rglob("*.html") for name in re.findall(r'(?:\{% icon |\bicon=)"([a-z0-9-]+)"', path.read_text())}

    assert asked <= NAMES, asked - NAMES


def test_every_icon_of_the_sprite_is_used():
    words = set(re.findall(r"[a-z0-9-]+", " ".join(path.read_text() for path in SEEN)))

    assert NAMES <= words, NAMES - words
