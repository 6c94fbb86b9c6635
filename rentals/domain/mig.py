"""MIG: which instances fit together on one GPU, and where. A GPU has 8 memory slices and 7 compute slices; an instance occupies a run of memory slices that
begins at one of its profile's permitted starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portal.kernel.errors import InvalidInput

MEMORY_SLICES = 8
COMPUTE_SLICES = 7


class MigRefused(InvalidInput):
    """These instances do not fit together on one GPU."""

    code = "mig_refused"


@dataclass(frozen=True, slots=True)
class Profile:
    """Facts of one profile on one GPU model; `most` is how many of it fit on a GPU at the same time."""

    name: str
    compute: int
    size: int
    starts: tuple[int, ...]
    most: int


@dataclass(frozen=True, slots=True)
class Placed:
    profile: str
    start: int


def check(placed: Sequence[Placed], profiles: Mapping[str, Profile]) -> None:
    """Return when hardware accepts `placed` on one GPU. Raises MigRefused, saying why."""
    for instance in placed:
        profile = profiles.get(instance.profile)
        if profile is None:
            raise MigRefused(f"This GPU has no MIG profile {instance.profile}.")
        if instance.start not in profile.starts:
            permitted = ", ".join(map(str, profile.starts))
            raise MigRefused(f"{instance.profile} cannot start at memory slice {instance.start}; it can at {permitted}.")
    _check_sums(placed, profiles)


def _check_sums(placed: Sequence[Placed], profiles: Mapping[str, Profile]) -> None:
    taken: dict[int, str] = {}
    for instance in placed:
        for memory_slice in range(instance.start, instance.start + profiles[instance.profile].size):
            if memory_slice in taken:
                raise MigRefused(f"{instance.profile} and {taken[memory_slice]} overlap at memory slice {memory_slice}.")
            taken[memory_slice] = instance.profile
    compute = sum(profiles[instance.profile].compute for instance in placed)
    if compute > COMPUTE_SLICES:
        raise MigRefused(f"The instances need {compute} compute slices; a GPU has {COMPUTE_SLICES}.")
    for name, count in Counter(instance.profile for instance in placed).items():
        if count > profiles[name].most:
            raise MigRefused(f"At most {profiles[name].most} of {name} fit on one GPU, not {count}.")
    if sum(instance.profile.endswith("+me") for instance in placed) > 1:
        raise MigRefused("Only one instance of a GPU can have the media engines.")
