"""The wipe certificate on paper, by typst. It says what the engine's evidence says and nothing more: no claim is made about the memory of the GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.exports import pdf
from portal.toolkit import formats

CONTENT_TYPE = pdf.CONTENT_TYPE
TEMPLATE = Path(__file__).with_name("wipe.typ")


def render(*, certificates: Sequence[Any], language: str) -> bytes:
    """One page or more for each of `certificates` (queries.certificates.Certificate), moments in the reader's zone, named."""
    return pdf.compile_paper(template=TEMPLATE, texts=_texts(certificates), language=language)


def _texts(certificates: Sequence[Any]) -> dict[str, Any]:
    return {
        "heading": _("Wipe certificate"),
        "lead": _("Every disk that the tenant could write to was erased after the hand-back, before anybody else could use the server."),
        "columns": [_("Disk"), _("Method"), _("Result"), _("Finished")],
        "sheets": [_sheet(certificate) for certificate in certificates],
        "simulated": _("Demo: simulated server") if settings.DEMO else "",
        "page": _("Page"),
    }


def _sheet(certificate: Any) -> dict[str, Any]:
    facts = [
        [_("Booking"), certificate.booking],
        [_("Server"), certificate.server],
        [_("Rented"), certificate.unit],
        [_("Model"), certificate.model],
        [_("Site"), certificate.site],
        [_("Finished"), _when(certificate.finished_at)],
        [_("Reference of the wipe"), certificate.reference],
    ]
    return {
        "facts": [fact for fact in facts if fact[1]],
        "disks": [[disk.serial, disk.method, _("passed"), _when(disk.finished_at) if disk.finished_at else ""] for disk in certificate.disks],
    }


def _when(at: datetime) -> str:
    return formats.moment_text(at, now=timezone.now(), form="full")
