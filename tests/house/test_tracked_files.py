"""What may not stand in the repository: other people's servers, this machine's folders, and what the content security policy would refuse."""

import re

import pytest

from tests.house import tree

# Written in pieces so that this file passes its own tests.
REGISTRIES = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("debian", "org", ""), ("yarnpkg", "com"))
    )
)
MACHINE_PATHS = re.compile(r"(?<![\w.<>/-])/(?:work|opt|root|home|Users|tmp)/\w")
OUTSIDE = re.compile(r"\.\./" + "shared")
REMOTE_ASSET = re.compile(r"""(?:<script[^>]*\ssrc|<link[^>]*\shref|<img[^>]*\ssrc|@import\s+url|\burl)\s*[=(]\s*["']?(?:https?:)?//""")
INLINE_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)", re.IGNORECASE)
INLINE_STYLE = re.compile(r"""<style|\sstyle=["']|setAttribute\(\s*["']style""", re.IGNORECASE)
INLINE_HANDLER = re.compile(r"""\s(?:on[a-z]+|hx-on[\w:-]*)=["']""")
SCREEN = {".html", ".svg"}


@pytest.mark.parametrize("path", tree.text_files(), ids=str)
def test_a_file_names_no_registry_and_no_path_of_a_machine(path):
    text = tree.text(path)

    assert not REGISTRIES.findall(text)
    assert not MACHINE_PATHS.findall(text)
    if path.parts[:2] != ("tests", "contracts"):
        assert not OUTSIDE.findall(text)


@pytest.mark.parametrize("path", [path for path in tree.text_files() if path.suffix in SCREEN], ids=str)
def test_a_template_holds_no_inline_script_style_or_handler(path):
    text = tree.text(path)

    assert not INLINE_SCRIPT.findall(text)
    assert not INLINE_STYLE.findall(text)
    assert not INLINE_HANDLER.findall(text)


def test_code_that_draws_sets_no_style_attribute():
    drawing = [path for path in tree.files() if path.suffix in {".py", ".js"} and path.parts[0] in {*tree.FLOORS, "static"}]

    assert not [str(path) for path in drawing if INLINE_STYLE.search(tree.text(path))]


def test_no_page_loads_anything_from_elsewhere():
    pages = [path for path in tree.files() if path.suffix in {".html", ".css", ".js"}]

    assert not [str(path) for path in pages if REMOTE_ASSET.search(tree.text(path))]


def test_third_party_assets_are_not_in_the_repository():
    assert not [str(path) for path in tree.files() if "vendor" in path.parts or "node_modules" in path.parts]
    assert "/static/vendor/" in (tree.ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_requirement_has_a_hash(lock):
    requirements = re.split(r"\n(?=[a-zA-Z0-9])", re.sub(r"^\s*#.*\n", "", (tree.ROOT / lock).read_text(), flags=re.MULTILINE).strip())

    assert len(requirements) > 50
    assert not [requirement.split()[0] for requirement in requirements if "--hash=sha256:" not in requirement]
