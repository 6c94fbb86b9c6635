"""Every word on screen speaks both languages, and the Chinese is set as Chinese is set."""

import os
import re
import shutil
import subprocess
import sys

import polib
import pytest

from tests.house import tree

CATALOG = tree.ROOT / "portal" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
HAN = r"[\u4e00-\u9fff]"
HALF_WIDTH = re.compile(rf"{HAN}[,;!?]|[,;!?]{HAN}|{HAN}:(?!/)")
CROWDED = re.compile(rf"{HAN}[0-9]|[0-9]{HAN}")


def _key(entry: polib.POEntry) -> tuple[str | None, str]:
    return entry.msgctxt, entry.msgid


def _translations(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


@pytest.fixture(scope="module")
def written() -> dict[tuple[str | None, str], polib.POEntry]:
    return {_key(entry): entry for entry in polib.pofile(str(CATALOG)) if not entry.obsolete and "fuzzy" not in entry.flags}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory) -> list[polib.POEntry]:
    """What makemessages finds in a copy of the tree."""
    copy = tmp_path_factory.mktemp("words")
    for path in tree.files():
        if path.parts[0] in {*tree.FLOORS, "templates", "manage.py"} and path.suffix in {".py", ".html", ".txt", ".po"}:
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.ROOT / path, copy / path)
    command = [sys.executable, "manage.py", "makemessages", "-l", "zh_Hans", "--keep-pot", "-v0", "-e", "html,txt,py"]
    subprocess.run(command, cwd=copy, check=True, capture_output=True, env={**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings"})
    return list(polib.pofile(str(copy / "portal" / "locale" / "django.pot")))


def test_every_word_on_screen_has_a_chinese_translation(wanted, written):
    missing = [entry.msgid for entry in wanted if _key(entry) not in written or not all(_translations(written[_key(entry)]))]

    assert not missing, "without a Chinese translation:\n" + "\n".join(missing)


def test_translations_keep_the_placeholders(written):
    lost = [
        entry.msgid
        for entry in written.values()
        for text in filter(None, _translations(entry))
        if set(PLACEHOLDER.findall(text)) - set(PLACEHOLDER.findall(entry.msgid + entry.msgid_plural))
        or (not entry.msgid_plural and set(PLACEHOLDER.findall(entry.msgid)) - set(PLACEHOLDER.findall(text)))
    ]

    assert not lost, lost


def test_chinese_uses_full_width_punctuation(written):
    assert not [text for entry in written.values() for text in _translations(entry) if HALF_WIDTH.search(PLACEHOLDER.sub("", text))]


def test_chinese_leaves_a_space_between_han_and_digits(written):
    assert not [text for entry in written.values() for text in _translations(entry) if CROWDED.search(PLACEHOLDER.sub("x", text))]
