"""Wipe certificates: what was erased at a hand-back, by serial, method and result."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import NotFound
from rentals.exports import wipe_pdf
from rentals.models import Booking, WipeEvidence
from rentals.queries import bookings


@dataclass(frozen=True, slots=True)
class Disk:
    serial: str
    method: str
    result: str
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """One wipe that counts. `unit` is what was rented of the Server; `booking` is "" where no tenant stands behind it."""

    reference: str
    server: str
    model: str
    site: str
    unit: str
    booking: str
    finished_at: datetime
    disks: tuple[Disk, ...]


def exists_for(booking: Booking) -> bool:
    return WipeEvidence.objects.filter(assignment__booking=booking, assignment__ready_at__isnull=False, complete=True).exists()


def of_booking(*, user: Any, number: str) -> list[Certificate]:
    """The certificates of every Server that this Booking's tenant had. Raises NotFound (also when there is none yet), NotAllowed."""
    booking = bookings.booking_for(user, number)
    found = _of(assignment__booking=booking, assignment__ready_at__isnull=False)
    if not found:
        raise NotFound()
    return found


def of_wipe(*, user: Any, wipe: int) -> list[Certificate]:
    """The certificate of one wipe, for an operator. A wipe that failed has none. Raises NotFound, NotAllowed."""
    accounts.require_staff(user, roles.OPERATOR)
    found = _of(pk=wipe)
    if not found:
        raise NotFound()
    return found


def paper(found: list[Certificate], *, language: str) -> bytes:
    """The certificates as one PDF."""
    return wipe_pdf.render(certificates=found, language=language)


def _of(**which: object) -> list[Certificate]:
    rows = WipeEvidence.objects.filter(complete=True, **which).select_related("server__model", "server__site", "assignment__unit", "assignment__booking")
    return [_certificate(row) for row in rows.order_by("server__serial", "finished_at", "pk")]


def _certificate(row: WipeEvidence) -> Certificate:
    assignment = row.assignment
    return Certificate(
        reference=row.reference,
        server=row.server.serial,
        model=row.server.model.name,
        site=row.server.site.name,
        unit=assignment.unit.label if assignment else row.server.serial,
        booking=assignment.booking.number if assignment else "",
        finished_at=row.finished_at,
        disks=tuple(disks_of(row)),
    )


def disks_of(row: WipeEvidence) -> list[Disk]:
    """What the evidence says of each disk, by serial."""
    read = [Disk(disk["serial"], disk["method"], disk["result"], _moment(disk["finished_at"])) for disk in row.disks]
    return sorted(read, key=lambda disk: disk.serial)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
