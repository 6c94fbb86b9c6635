"""Documents as tagged PDF, by typst. Texts travel as data, never as typst source."""

from __future__ import annotations

import functools
import json
from dataclasses import asdict
from pathlib import Path

import typst
from django.conf import settings

from billing.exports import base

CONTENT_TYPE = "application/pdf"
TEMPLATE = Path(__file__).with_name("document.typ")
SANS = ("Noto Sans SC", "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "Liberation Sans", "DejaVu Sans", "Libertinus Serif")


def render(snapshot: base.Snapshot, *, language: str) -> bytes:
    """The PDF of a Document: English, or Chinese with English beside it."""
    return compile_paper(template=TEMPLATE, texts=asdict(base.paper(snapshot, language=language, bilingual=True)), language=language)


def compile_paper(*, template: Path, texts: dict, language: str) -> bytes:
    """`template` with `texts` as its data. The same texts give the same bytes on the same fonts."""
    fonts = _fonts()
    families = [family for family in SANS if family in set(fonts.families())]
    data = {**texts, "fonts": families, "lang": "zh" if language.startswith("zh") else "en", "region": "cn" if language.startswith("zh") else "gb"}
    pdf = typst.compile(
        template.read_bytes(), font_paths=fonts, sys_inputs={"data": json.dumps(data, ensure_ascii=False)}, format="pdf", timestamp=0, pdf_tags=True
    )  # fmt: skip
    return bytes(pdf)


@functools.lru_cache(maxsize=1)
def _fonts() -> typst.Fonts:
    """The fonts of PORTAL_FONT_DIRS; those of the system as well when there are none."""
    folders = [folder for folder in settings.FONT_DIRS if any(Path(folder).glob("**/*.[to]t[fc]"))]
    return typst.Fonts(include_system_fonts=not folders, include_embedded_fonts=True, font_paths=folders)
