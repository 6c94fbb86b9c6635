"""A page of a keyset-paginated list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """`items` in order; `next` is the opaque cursor of the following page ("" at the end); `count` is the size of the whole result."""

    items: list[Item]
    next: str = ""
    count: int = 0
