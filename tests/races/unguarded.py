"""The portal with its lock taken out, for the controls: every request decides before any has written. Nothing of the product imports this."""

from __future__ import annotations

import time
from typing import Any

from portal.asgi import application
from rentals.services.bookings import capacity

__all__ = ["application"]

_admit = capacity.admit


def _no_lock(**_: Any) -> None:
    """Whoever comes decides at once."""


def _admit_and_wait(**wish: Any) -> Any:
    admission = _admit(**wish)
    time.sleep(0.5)
    return admission


capacity.lock = _no_lock
capacity.admit = _admit_and_wait
