"""Faults that GPUs report: XIDs and uncorrected memory errors, when one is new, and what it means.

The gauge of the last XID never resets until the driver is reloaded, so only its rising edge is an event, and the same XID twice in a row is invisible in it;
the driver's event queue and the kernel log count each one, and where they exist they are used instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Edges:
    """Rising edges of the last-XID gauge, for each GPU. A gap between two equal readings is no edge."""

    _last: dict[str, int] = field(default_factory=dict)

    def rises(self, gpu: str, xid: int | None) -> bool:
        """Whether `xid` is a new event. None is a gap and changes nothing; 0 is none and clears."""
        if xid is None:
            return False
        before = self._last.get(gpu, 0)
        self._last[gpu] = xid
        return xid not in (0, before)


@dataclass
class Counters:
    """Increases of lifetime error counters. A decrease is a counter that was reset, not negative errors; the first reading is a beginning."""

    _last: dict[str, int] = field(default_factory=dict)

    def increase(self, gpu: str, count: int | None) -> int:
        """How many errors are new."""
        if count is None:
            return 0
        before = self._last.get(gpu, count)
        self._last[gpu] = count
        return max(0, count - before)


def xid_code(xid: int) -> str:
    return f"xid-{xid}"


ECC = "ecc"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a fault calls for: `advice` in a few words for the customer, `outcome` note, drain or replace for the operator."""

    advice: str
    outcome: str


RESTART_APPLICATION = Meaning("restart the application", "note")
FOLLOWS_ANOTHER = Meaning("a consequence of another error", "note")
NEXT_RESET = Meaning("takes effect at the next reset of the GPU", "drain")
INVESTIGATE = Meaning("being looked into by the operator", "note")
BEING_DRAINED = Meaning("the server is taken out after your booking", "drain")
RESET_GPU = Meaning("the GPU must be reset", "replace")
RESTART_SERVER = Meaning("the server must be restarted", "replace")
RECOVERY_ACTION = Meaning("the driver names the recovery", "drain")
UNKNOWN = Meaning("see the driver's documentation", "note")

# Outcomes are our reading of the vendor's recommended actions; an operator decides.
MEANINGS: dict[int, Meaning] = {
    **dict.fromkeys((13, 31, 32, 68, 69, 94), RESTART_APPLICATION),
    **dict.fromkeys((43, 45), FOLLOWS_ANOTHER),
    63: NEXT_RESET,
    **dict.fromkeys((121, 137), INVESTIGATE),
    **dict.fromkeys((48, 54, 74, 92, *range(144, 151)), BEING_DRAINED),
    **dict.fromkeys((46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158), RESET_GPU),
    79: RESTART_SERVER,
    154: RECOVERY_ACTION,
}


def meaning(code: str) -> Meaning:
    """What the fault named `code` calls for."""
    if code == ECC:
        return BEING_DRAINED
    number = code.removeprefix("xid-")
    return MEANINGS.get(int(number), UNKNOWN) if number.isdecimal() else UNKNOWN
