"""Refusals in the vendor's shape."""

from __future__ import annotations


class ApiError(Exception):
    """Answered as {"error": {...}} with `status`. A `lasting` refusal keeps what the request did and is the answer to every repeat of its key."""

    def __init__(self, status: int, type: str, message: str, *, code: str = "", param: str = "", lasting: bool = False, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.lasting = lasting
        named = {"type": type, "message": message, "code": code, "param": param, **more}
        self.body = {"error": {name: value for name, value in named.items() if value not in ("", None)}}


def invalid(message: str, *, param: str = "", code: str = "", status: int = 400) -> ApiError:
    return ApiError(status, "invalid_request_error", message, param=param, code=code)


def missing(kind: str, id: str) -> ApiError:
    return invalid(f"No such {kind}: '{id}'", param="id", code="resource_missing", status=404)


def unexpected_state(intent: dict, verb: str) -> ApiError:
    return ApiError(
        400,
        "invalid_request_error",
        f"You cannot {verb} this PaymentIntent because it has a status of {intent['status']}.",
        code="payment_intent_unexpected_state",
        payment_intent=intent,
    )


def declined(intent: dict) -> ApiError:
    """The card_error that a confirmation answers when the card said no. What happened to the intent stays."""
    error = intent["last_payment_error"]
    return ApiError(
        402,
        "card_error",
        error["message"],
        code=error["code"],
        lasting=True,
        decline_code=error.get("decline_code", ""),
        payment_intent=intent,
        charge=error.get("charge", ""),
    )
