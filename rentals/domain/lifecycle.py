"""Which state may follow which: of a Booking, a Server, a Deployment, a Quote. Services move rows by compare-and-set after asking here."""

from __future__ import annotations

from portal.kernel.transitions import Transitions

# Side states (payment pending, suspended, degraded) are flags beside these: they never stop an end.
# A Booking that ends before it was ever ready leaves `ending` as cancelled; one that its engine could not start is failed and costs nothing.
BOOKING = Transitions(
    "booking",
    {
        "held": frozenset({"confirmed", "cancelled", "expired"}),
        "confirmed": frozenset({"preparing", "cancelled", "failed"}),
        "preparing": frozenset({"active", "ending", "failed"}),
        "active": frozenset({"ending"}),
        "ending": frozenset({"ended", "cancelled", "failed"}),
        "ended": frozenset(),
        "cancelled": frozenset(),
        "expired": frozenset(),
        "failed": frozenset(),
    },
)
LIVE_BOOKING = frozenset({"held", "confirmed", "preparing", "active", "ending"})  # takes capacity
STARTED_BOOKING = frozenset({"preparing", "active"})  # an engine is at work or a tenant is inside: the end is a hand-back

# A Server becomes available through validation only. What an engine may be doing when nobody hears from it is anything, so `unknown` leads back everywhere.
SERVER = Transitions(
    "server",
    {
        "enrolled": frozenset({"verifying", "maintenance", "retired"}),
        "verifying": frozenset({"available", "quarantined", "maintenance", "unknown"}),
        "available": frozenset({"reserved", "verifying", "quarantined", "maintenance", "retired", "unknown"}),
        "reserved": frozenset({"deploying", "available", "undeploying", "quarantined", "unknown"}),
        "deploying": frozenset({"rented", "undeploying", "quarantined", "unknown"}),
        "rented": frozenset({"degraded", "undeploying", "unknown"}),
        "degraded": frozenset({"rented", "undeploying", "quarantined", "unknown"}),
        "undeploying": frozenset({"wiping", "quarantined", "unknown"}),
        "wiping": frozenset({"validating", "wipe_failed", "unknown"}),
        "wipe_failed": frozenset({"wiping", "quarantined", "maintenance"}),
        "validating": frozenset({"available", "quarantined", "maintenance", "unknown"}),
        "quarantined": frozenset({"verifying", "validating", "wiping", "maintenance", "retired"}),
        "maintenance": frozenset({"verifying", "validating", "wiping", "quarantined", "retired"}),
        "retired": frozenset(),
        "unknown": frozenset(
            {"verifying", "available", "reserved", "deploying", "rented", "degraded", "undeploying", "wiping", "validating", "quarantined", "maintenance"}
        ),
    },
)
# In these nobody knows when the Server can be sold again: it takes part in no offer.
UNSELLABLE_SERVER = frozenset({"enrolled", "verifying", "wipe_failed", "quarantined", "maintenance", "retired", "unknown"})

# Every end after the engine was first asked goes through the wipe, a failed start too: `failed` and `done` are where the wipe left it.
DEPLOYMENT = Transitions(
    "deployment",
    {
        "planned": frozenset({"preparing", "cancelled", "failed"}),
        "preparing": frozenset({"prepared", "undeploying", "failed"}),
        "prepared": frozenset({"preparing", "handing_over", "undeploying", "failed"}),  # preparing again: the engine has lost it
        "handing_over": frozenset({"ready", "undeploying", "failed"}),
        "ready": frozenset({"undeploying"}),
        "undeploying": frozenset({"wiping", "failed"}),
        "wiping": frozenset({"validating", "failed"}),
        "validating": frozenset({"done", "failed"}),
        "done": frozenset(),
        "failed": frozenset(),
        "cancelled": frozenset(),
    },
)

# A draft becomes an offer when it is sent; what was sent never changes, a revision is a Quote of its own that supersedes it.
QUOTE = Transitions(
    "quote",
    {
        "draft": frozenset({"sent", "withdrawn"}),
        "sent": frozenset({"accepted", "declined", "expired", "withdrawn", "superseded"}),
        "accepted": frozenset(),
        "declined": frozenset(),
        "expired": frozenset(),
        "withdrawn": frozenset(),
        "superseded": frozenset(),
    },
)
