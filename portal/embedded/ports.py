"""TCP ports on loopback."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def choose(preferred: int) -> int:
    """`preferred` when nobody listens there, else a free one. 0 asks for any."""
    return preferred if preferred and _is_free(preferred) else _any_free()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free to listen on
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _any_free() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]
