"""An order as a person sends it: the terms ticked, a key pasted, and the hold, together or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from portal.accounts.services import ssh_keys as people_keys
from portal.accounts.services import terms
from rentals.models import Booking
from rentals.services.bookings import holding


@transaction.atomic
def order(
    *,
    by: Any,
    organisation: Any,
    wish: Mapping[str, Any],
    image: Any,
    ssh_keys: Sequence[Mapping[str, str]],
    now: datetime,
    new_key: str = "",
    accept_terms: bool = False,
    address: str | None = None,
    purchase_order: str = "",
    project_id: int | None = None,
    once: str | None = None,
) -> Booking:
    """Accept the terms when ticked, keep a pasted key in the account, and hold. A refusal of the hold undoes both. Raises what hold raises, and what
    portal.accounts.services.ssh_keys.add does for a key that cannot be used."""
    if (first := holding.known(organisation=organisation, key=once)) is not None:
        return first
    if accept_terms:
        terms.accept(by=by, organisation=organisation, address=address, now=now)
    keys = [dict(key) for key in ssh_keys]
    if new_key.strip():
        row = people_keys.add(user=by, name="", text=new_key, by=by, now=now)
        keys.append({"name": row.name, "public_key": row.public_key, "fingerprint": row.fingerprint})
    return holding.hold(
        by=by, organisation=organisation, image=image, ssh_keys=keys, purchase_order=purchase_order, project_id=project_id, idempotency_key=once,
        now=now, **wish,
    )  # fmt: skip
