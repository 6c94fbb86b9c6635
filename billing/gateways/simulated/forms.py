"""Form-encoded nested parameters, `a[b][0][c]=v`, as the vendor's clients send them."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from billing.gateways.simulated import faults

PART = re.compile(r"\[([^\[\]]*)\]")


def parse(raw: str) -> dict:
    """The nested dictionaries and lists that `raw` spells."""
    tree: dict = {}
    for name, value in parse_qsl(raw, keep_blank_values=True):
        head, _, rest = name.partition("[")
        parts = [head, *PART.findall(f"[{rest}")] if rest else [head]
        _put(tree, parts, value)
    return {name: _with_lists(value) for name, value in tree.items()}


def _put(tree: dict, parts: list[str], value: str) -> None:
    for part in parts[:-1]:
        tree = tree.setdefault(part, {})
        if not isinstance(tree, dict):
            raise faults.invalid("Invalid parameters: a value cannot also hold others.", param=part)
    last = parts[-1]
    tree[str(len(tree)) if last == "" else last] = value


def _with_lists(value: object) -> object:
    if not isinstance(value, dict):
        return value
    inner = {name: _with_lists(item) for name, item in value.items()}
    if inner and set(inner) == {str(position) for position in range(len(inner))}:
        return [inner[str(position)] for position in range(len(inner))]
    return inner


def check_known(params: dict, known: frozenset[str]) -> None:
    """Refuse a parameter that the vendor's interface does not have."""
    for name in params:
        if name not in known:
            raise faults.invalid(f"Received unknown parameter: {name}", param=name, code="parameter_unknown")


def required(params: dict, *names: str) -> None:
    for name in names:
        if params.get(name) in (None, ""):
            raise faults.invalid(f"Missing required param: {name}.", param=name, code="parameter_missing")


def table(params: dict, name: str) -> dict:
    """A parameter that must be an object; {} when it is absent."""
    value = params.get(name) or {}
    if not isinstance(value, dict):
        raise faults.invalid(f"Invalid object: {name}", param=name)
    return value
