"""What the agent asks of a source of readings."""

from __future__ import annotations

from typing import Protocol

from monitoring.domain.readings import Reading


class Source(Protocol):
    """One node's GPUs. `name` travels with every Batch, so that a page can say where a figure comes from."""

    name: str

    def read(self, *, at: float) -> Reading:
        """Everything there is to know at `at`. Never raises for a GPU that fails: that GPU's Sample says so."""
        ...

    def close(self) -> None:
        """Let go of drivers and threads."""
        ...


class SourceMissing(RuntimeError):
    """This node has no such source: no driver, no tool, no exporter."""
