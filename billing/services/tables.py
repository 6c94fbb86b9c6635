"""Tables that finance takes away. What leaves the house is written into the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing import queries
from billing.exports import columns, csv, xlsx
from portal.accounts.services import audit
from portal.kernel.errors import NotFound


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    content_type: str
    text: Iterator[str] | None = None  # streams
    content: bytes = b""


def table(*, shape: str, form: str, filters: queries.Filters, by: Any, now: datetime) -> Table:
    """All Documents that match (shape documents) or their lines (shape lines), as csv, streamed, or xlsx. Raises NotFound for another shape or form and
    queries.TooManyForAWorkbook."""
    if shape not in columns.SHAPES or form not in ("csv", "xlsx"):
        raise NotFound()
    if form == "xlsx":
        queries.refuse_too_many(filters=filters, now=now)
    audit.record(verb="documents.exported", subject=f"{shape}.{form}", by=by, now=now)
    records = queries.records(filters=filters, now=now)
    name = f"{shape}-{now:%Y%m%d-%H%M%S}.{form}"
    if form == "csv":
        return Table(name, csv.CONTENT_TYPE, text=csv.stream(shape=shape, records=records))
    return Table(name, xlsx.CONTENT_TYPE, content=xlsx.render(shape=shape, records=records))
