"""The API reference page, read from the same document that /api/schema/ serves."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Parameter:
    name: str
    place: str
    is_required: bool
    description: str


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    name: str
    description: str
    is_public: bool
    parameters: list[Parameter]
    body: str
    answer: str


@functools.cache
def operations() -> dict[str, list[Operation]]:
    """Operations by tag, in the order of their paths. Built once: addresses do not change while the portal runs."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    found: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in (each for each in METHODS if each in methods):
            written = methods[method]
            found.setdefault(written.get("tags", ["other"])[0], []).append(_operation(document, path, method, written))
    return found


def _operation(document: dict, path: str, method: str, written: dict) -> Operation:
    named = [each for each in written.get("parameters", []) if "name" in each]
    parameters = [Parameter(each["name"], each["in"], each.get("required", False), each.get("description", "")) for each in named]
    answers = [answer for status, answer in written["responses"].items() if status.startswith("2")]
    return Operation(
        method=method.upper(),
        path=path,
        name=written["operationId"],
        description=written.get("description", ""),
        is_public={} in written.get("security", []),
        parameters=parameters,
        body=_example(document, written.get("requestBody", {})),
        answer=_example(document, answers[0]) if answers else "",
    )


def _example(document: dict, holder: dict) -> str:
    schema = holder.get("content", {}).get("application/json", {}).get("schema")
    return json.dumps(_shape(document, schema, depth=0), indent=2, ensure_ascii=False) if schema else ""


def _shape(document: dict, schema: dict, depth: int) -> object:
    """What a value of `schema` looks like, with the type in place of each leaf."""
    if "$ref" in schema:
        return _shape(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
    for joined in ("allOf", "oneOf", "anyOf"):
        if joined in schema:
            return _shape(document, schema[joined][0], depth)
    if depth > 6:
        return "…"
    if schema.get("type") == "array":
        return [_shape(document, schema.get("items", {}), depth + 1)]
    if "properties" in schema:
        return {name: _shape(document, inner, depth + 1) for name, inner in schema["properties"].items()}
    return schema.get("format") or schema.get("type") or "any"
