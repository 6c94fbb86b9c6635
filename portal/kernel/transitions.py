"""A table of permitted moves between states. Services move rows by compare-and-set after asking it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from portal.kernel.errors import Conflict


class IllegalMove(Conflict):
    """This step is not possible in the present state."""

    code = "illegal_move"


@dataclass(frozen=True)
class Transitions:
    """`moves` maps each state to the states it may become; a state that maps to nothing is final."""

    noun: str
    moves: Mapping[str, frozenset[str]]

    @property
    def states(self) -> frozenset[str]:
        return frozenset(self.moves)

    @property
    def final(self) -> frozenset[str]:
        return frozenset(state for state, following in self.moves.items() if not following)

    def permits(self, old: str, new: str) -> bool:
        return new in self.moves[old]

    def check(self, old: str, new: str) -> None:
        """Raise IllegalMove unless `old` may become `new`."""
        if not self.permits(old, new):
            raise IllegalMove(f"A {self.noun} that is {old} cannot become {new}.", old=old, new=new)
