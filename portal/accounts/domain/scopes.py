"""What a token may be allowed to do. A view names the scope of each method; a token names the scopes that it has."""

from __future__ import annotations

ACCOUNT_READ = "account:read"
BOOKINGS_READ = "bookings:read"
BOOKINGS_WRITE = "bookings:write"
BILLING_READ = "billing:read"
BILLING_WRITE = "billing:write"
TELEMETRY_READ = "telemetry:read"

SCOPES = (ACCOUNT_READ, BOOKINGS_READ, BOOKINGS_WRITE, BILLING_READ, BILLING_WRITE, TELEMETRY_READ)


def unknown(scopes: list[str]) -> list[str]:
    """Those of `scopes` that do not exist."""
    return sorted(set(scopes) - set(SCOPES))
