"""What every operation of the OpenAPI document says alike: the key header of keyed POSTs, and the one shape of refusals."""

from __future__ import annotations

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from portal.accounts.api.keyed import HEADER, Keyed

REFUSAL = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "field", "facts"],
            "properties": {
                "code": {"type": "string", "description": "Stable name of the refusal."},
                "message": {"type": "string", "description": "A sentence in the language of the request."},
                "field": {"type": "string", "description": "The input at fault, or empty."},
                "facts": {"type": "object", "additionalProperties": True},
            },
        }
    },
}
KEY = OpenApiParameter(HEADER, str, OpenApiParameter.HEADER, description="1 to 120 characters. A repeat with the same key and body gets the first answer.")


class Schema(AutoSchema):
    def get_override_parameters(self) -> list:
        return [KEY] if self.method == "POST" and isinstance(self.view, Keyed) else []


def add_refusals(result: dict, generator: object, request: object, public: bool) -> dict:
    """Post-processing hook: every operation may refuse, always in the same shape."""
    result.setdefault("components", {}).setdefault("schemas", {})["Refusal"] = REFUSAL
    refusal = {"description": "Refused", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}}
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"]["default"] = refusal
    return result
