"""One row that cannot be worked on must not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)


def attempted(*, act: Callable[..., object], **facts: Any) -> bool:
    """Whether `act(**facts)` came to something. What it raises is logged; the next sweep tries again."""
    try:
        return bool(act(**facts))
    except Exception:
        log.exception("%s failed with %s; the next sweep tries again", act.__name__, facts)
        return False
