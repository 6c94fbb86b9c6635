"""The kept renderings of Documents: made after commit from the snapshot, retried by the sweeper, never changed. A failure costs no number and no payment."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from billing import queries
from billing.exports import csv, pdf, xlsx
from billing.models import Document, DocumentFile
from portal.kernel.errors import Conflict, NotFound


class NotMadeYet(Conflict):
    """The file is not there yet."""

    status = 503
    code = "not_made_yet"


@dataclass(frozen=True, slots=True)
class Rendering:
    name: str
    content_type: str
    content: bytes


log = logging.getLogger(__name__)
RENDERERS = {"pdf": pdf.render}
LONGEST_WAIT = timedelta(hours=1)


def make(*, document: str, now: datetime) -> int:
    """Make the files of this Document that are not there yet. Returns how many were made; one that fails is tried again later."""
    missing = DocumentFile.objects.filter(document__number=document, content__isnull=True).order_by("id")
    return sum(_make_one(file_id, now) for file_id in missing.values_list("id", flat=True))


def rendering(*, document: str, form: str, language: str, by: Any, now: datetime) -> Rendering:
    """One Document as a file for whoever may see it: the kept PDF (made now if its turn has not come), or its lines as csv or xlsx. Raises NotFound,
    NotAllowed and NotMadeYet."""
    row = queries.row_for(user=by, number=document)
    if form == "pdf":
        return Rendering(f"{row.number}.pdf", pdf.CONTENT_TYPE, _pdf(row, "zh-hans" if language.startswith("zh") else "en", now))
    records = [queries.record(row)]
    if form == "csv":
        return Rendering(f"{row.number}.csv", csv.CONTENT_TYPE, "".join(csv.stream(shape="lines", records=records)).encode())
    if form == "xlsx":
        return Rendering(f"{row.number}.xlsx", xlsx.CONTENT_TYPE, xlsx.render(shape="lines", records=records))
    raise NotFound()


def sweep(*, now: datetime, limit: int = 20) -> int:
    """Make files that are due and that no ring made. Returns how many were made."""
    due = DocumentFile.objects.filter(content__isnull=True, next_attempt_at__lte=now).order_by("next_attempt_at", "id")
    return sum(_make_one(file_id, now) for file_id in due.values_list("id", flat=True)[:limit])


def _pdf(row: Document, language: str, now: datetime) -> bytes:
    kept = DocumentFile.objects.filter(document=row, kind="pdf", language=language)
    for file_id in kept.filter(content__isnull=True).values_list("id", flat=True):
        _make_one(file_id, now)
    content = kept.values_list("content", flat=True).first()
    if content is None:
        raise NotMadeYet(_("The PDF could not be made just now. It will be tried again; please come back in a minute."))
    return bytes(content)


@transaction.atomic
def _make_one(file_id: int, now: datetime) -> bool:
    row = DocumentFile.objects.select_for_update(skip_locked=True).select_related("document").filter(pk=file_id, content__isnull=True).first()
    if row is None:
        return False
    try:
        with transaction.atomic():
            content = RENDERERS[row.kind](row.document.snapshot, language=row.language)
    except Exception as error:  # whatever a renderer raises: the row waits, the Document stands
        wait = min(timedelta(seconds=15) * 2**row.attempts, LONGEST_WAIT)
        DocumentFile.objects.filter(pk=row.pk).update(
            attempts=row.attempts + 1, next_attempt_at=now + wait, last_error=f"{type(error).__name__}: {error}"[:300]
        )
        log.warning("%s %s of %s: %s", row.kind, row.language, row.document.number, error)
        return False
    digest = hashlib.sha256(content).hexdigest()
    DocumentFile.objects.filter(pk=row.pk).update(content=content, sha256=digest, made_at=now, next_attempt_at=None, last_error="")
    return True
