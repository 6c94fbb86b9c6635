"""How a Server is cut into Units: whole, in partitions of its GPUs, or in MIG instances at placements. Slots are numbered 8 per GPU, one per memory slice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from portal.kernel.errors import InvalidInput
from rentals.domain import mig

SLOTS_PER_GPU = mig.MEMORY_SLICES


class LayoutRefused(InvalidInput):
    """A Server cannot be cut like this."""

    code = "layout_refused"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a layout needs to know of a UnitKind: `gpus` it covers, or for a MIG kind its profile."""

    sku: str
    gpus: int
    mig_profile: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """One Unit: its kind, the first of its GPUs by position and, for MIG, the memory slice at which it starts."""

    kind: Kind
    gpu: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """One Unit as it is stored: kind, half-open range of slots and a label within the Server."""

    sku: str
    first: int
    after: int
    label: str


def pieces(cuts: Sequence[Cut], *, gpus: int, profiles: Mapping[str, mig.Profile]) -> list[Piece]:
    """The Units of a Server with `gpus` accelerators. Raises LayoutRefused when they overlap or reach beyond it, MigRefused for an impossible placement."""
    if not cuts:
        raise LayoutRefused("A layout holds at least one Unit.")
    for gpu in {cut.gpu for cut in cuts if cut.kind.mig_profile}:
        mig.check([mig.Placed(cut.kind.mig_profile, cut.start) for cut in cuts if cut.kind.mig_profile and cut.gpu == gpu], profiles)
    out = [_piece(cut, gpus, profiles) for cut in cuts]
    _check_disjoint(out)
    return out


def _piece(cut: Cut, gpus: int, profiles: Mapping[str, mig.Profile]) -> Piece:
    covered = 1 if cut.kind.mig_profile else cut.kind.gpus
    if cut.gpu + covered > gpus:
        raise LayoutRefused(f"{cut.kind.sku} would reach to GPU {cut.gpu + covered - 1}; the server has {gpus}, counted from 0.")
    first = cut.gpu * SLOTS_PER_GPU + cut.start
    if cut.kind.mig_profile:
        return Piece(cut.kind.sku, first, first + profiles[cut.kind.mig_profile].size, f"gpu{cut.gpu}-{cut.kind.mig_profile}@{cut.start}")
    if cut.start:
        raise LayoutRefused(f"{cut.kind.sku} covers whole GPUs and cannot start inside one.")
    after = first + covered * SLOTS_PER_GPU
    return Piece(cut.kind.sku, first, after, f"gpu{cut.gpu}" if covered == 1 else f"gpu{cut.gpu}-{cut.gpu + covered - 1}")


def _check_disjoint(found: Iterable[Piece]) -> None:
    ordered = sorted(found, key=lambda piece: piece.first)
    for earlier, later in zip(ordered, ordered[1:], strict=False):
        if later.first < earlier.after:
            raise LayoutRefused(f"{earlier.label} and {later.label} overlap.")
