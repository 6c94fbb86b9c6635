"""What a benchmark gives: our figure beside that of a control, which does the same the plain way on the same machine in the same run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    ours: float
    control: float
    unit: str
    told: str  # what is compared, in a few words

    def line(self, name: str) -> str:
        ratio = self.control / self.ours if self.ours else float("inf")
        return f"{name}: {self.ours:.4g} {self.unit}, control {self.control:.4g} {self.unit}, ratio {ratio:.2f} ({self.told})"
