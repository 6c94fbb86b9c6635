"""Cells of a data file, typed: each column of a row's dataclass says by which reader its text becomes a value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from portal.kernel import money

Row = TypeVar("Row")


class BadCell(ValueError):
    """This text is no value of the column."""


def text(cell: str) -> str:
    if not cell:
        raise BadCell("is empty")
    return cell


def any_text(cell: str) -> str:
    return cell


def word(cell: str) -> str:
    if not cell or not all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in cell):
        raise BadCell("is not a name of letters, digits and hyphens")
    return cell


def whole(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit()):
        raise BadCell("is not a whole number")
    return int(cell)


def at_least_one(cell: str) -> int:
    number = whole(cell)
    if number < 1:
        raise BadCell("must be at least 1")
    return number


def maybe_whole(cell: str) -> int | None:
    return whole(cell) if cell else None


def decimal(cell: str) -> Decimal:
    try:
        number = Decimal(cell)
    except InvalidOperation:
        raise BadCell("is not a number") from None
    if not number.is_finite() or number < 0:
        raise BadCell("must be a number of at least 0")
    return number


def maybe_decimal(cell: str) -> Decimal | None:
    return decimal(cell) if cell else None


def yes_no(cell: str) -> bool:
    if cell not in ("yes", "no"):
        raise BadCell("must be yes or no")
    return cell == "yes"


def moment(cell: str) -> datetime:
    try:
        at = datetime.fromisoformat(cell)
    except ValueError:
        raise BadCell("is not an ISO date and time") from None
    if at.utcoffset() is None:
        raise BadCell("must name its offset from UTC")
    return at


def currency_code(cell: str) -> str:
    if cell not in money.EXPONENTS:
        raise BadCell("is not a currency that we know")
    return cell


def one_of(*words: str) -> Callable[[str], str]:
    def read(cell: str) -> str:
        if cell not in words:
            raise BadCell(f"must be one of {', '.join(words)}")
        return cell

    return read


def numbers(cell: str) -> tuple[int, ...]:
    return tuple(whole(part) for part in cell.split())


def link_list(cell: str) -> tuple[tuple[int, int, int], ...]:
    """`0-1:4 0-2:4`: GPU, GPU and how many links join them."""
    read = []
    for part in cell.split():
        pair, _, count = part.partition(":")
        one, _, other = pair.partition("-")
        read.append((whole(one), whole(other), at_least_one(count)))
    return tuple(read)


def column(read: Callable[[str], Any]) -> Any:
    return dataclasses.field(metadata={"read": read})


def read(name: str, shape: type[Row], rows: Iterable[Mapping[str, str | None]], problems: list[str]) -> list[Row]:
    """The rows of one file; what is wrong is added to `problems`. Row 1 is the head, as in a spreadsheet."""
    fields = dataclasses.fields(shape)  # type: ignore[arg-type]
    known = {field.name for field in fields}
    out: list[Row] = []
    seen: set[tuple[object, ...]] = set()
    for number, row in enumerate(rows, start=2):
        if set(row) != known:
            problems.append(f"{name}.csv, row {number}: the columns must be {', '.join(field.name for field in fields)}")
            continue
        cells: dict[str, Any] = {}
        for field in fields:
            cell = (row[field.name] or "").strip()
            try:
                cells[field.name] = field.metadata["read"](cell)
            except BadCell as error:
                problems.append(f"{name}.csv, row {number}, column {field.name}: {cell!r} {error}")
        if len(cells) < len(fields):
            continue
        key = tuple(cells[part] for part in shape.KEY)  # type: ignore[attr-defined]
        if key in seen:
            problems.append(f"{name}.csv, row {number}: {' '.join(map(str, key))} stands there twice")
        seen.add(key)
        out.append(shape(**cells))
    return out
