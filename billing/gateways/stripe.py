"""Stripe, through its own client. The same code talks to the stand-in: only the base address differs.

The client never retries by itself: what is unknown is asked again with the same key, by the services that keep the key in a row.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import requests
import stripe

from billing.domain import gateway_amounts
from billing.gateways import base

TOLERANCE_SECONDS = 300
WAIT_SECONDS = (3, 12)  # to connect, to answer
INTENT_STATES = {
    "requires_payment_method": "started",
    "requires_confirmation": "started",
    "requires_action": "requires_action",
    "processing": "processing",
    "requires_capture": "processing",
    "succeeded": "succeeded",
    "canceled": "cancelled",
}
REFUND_STATES = {"pending": "pending", "requires_action": "pending", "succeeded": "succeeded", "failed": "failed", "canceled": "failed"}


@contextlib.contextmanager
def _asking() -> Iterator[None]:
    """Sort the client's many errors into the few that make a difference to whoever asked."""
    try:
        yield
    except stripe.APIConnectionError as error:
        raise base.OutcomeUnknown(str(error.__cause__ or error)) from error
    except (stripe.RateLimitError, stripe.APIError) as error:
        # 409 says that a request with this key is at work at this moment, 429 that nothing happened; both are worth asking again with the key.
        raise base.OutcomeUnknown(str(error), answered=(error.http_status or 500) >= 500) from error
    except (stripe.AuthenticationError, stripe.PermissionError) as error:
        raise base.Misconfigured(error.user_message or str(error)) from error
    except stripe.InvalidRequestError as error:
        kind = base.NoSuchObject if error.code == "resource_missing" else base.Refused
        raise kind(error.user_message or str(error), code=error.code or "") from error
    except stripe.StripeError as error:
        raise base.Refused(error.user_message or str(error), code=error.code or type(error).__name__) from error


def _reached_nobody(error: base.OutcomeUnknown) -> bool:
    """Whether a kept connection had gone stale or nobody listened: then a second try at once is worth it. A time-out is not."""
    cause = error.__cause__.__cause__ if error.__cause__ else None
    return isinstance(cause, requests.ConnectionError) and not isinstance(cause, requests.Timeout)


@dataclass(frozen=True)
class Stripe:
    """A gateway on the real client. `api_base` is https://api.stripe.com or the stand-in's address."""

    secret_key: str
    api_base: str
    api_version: str = stripe.api_version
    _v1: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        client = stripe.StripeClient(
            self.secret_key or "sk_missing",
            stripe_version=self.api_version,
            base_addresses={"api": self.api_base},
            max_network_retries=0,
            http_client=stripe.RequestsClient(timeout=WAIT_SECONDS),
        )
        object.__setattr__(self, "_v1", client.v1)

    def open_checkout(self, *, wish: base.CheckoutWish) -> base.CheckoutSeen:
        metadata = {"agreement": wish.agreement, "payment": wish.payment, "attempt": wish.attempt}
        product = {"name": wish.title, **({"description": wish.description} if wish.description else {})}
        params: dict[str, Any] = {
            "mode": "payment",
            "line_items": [{"price_data": {"currency": wish.currency.lower(), "unit_amount": wish.amount, "product_data": product}, "quantity": 1}],
            "success_url": wish.success_url,
            "cancel_url": wish.cancel_url,
            "expires_at": wish.expires_at,
            "locale": wish.language,
            "client_reference_id": wish.payment,
            "metadata": metadata,
            "payment_intent_data": {"metadata": metadata, "description": wish.title},
        }
        if wish.email:
            params["customer_email"] = wish.email
        return _checkout(self._ask(self._v1.checkout.sessions.create, params=params, options={"idempotency_key": wish.key}))

    def checkout(self, *, id: str) -> base.CheckoutSeen:
        return _checkout(self._ask(self._v1.checkout.sessions.retrieve, id, params={"expand": ["payment_intent"]}))

    def expire_checkout(self, *, id: str) -> base.CheckoutSeen:
        return _checkout(self._ask(self._v1.checkout.sessions.expire, id, params={"expand": ["payment_intent"]}))

    def intent(self, *, id: str) -> base.IntentSeen:
        return _intent(self._ask(self._v1.payment_intents.retrieve, id))

    def refund(self, *, wish: base.RefundWish) -> base.RefundSeen:
        params = {"payment_intent": wish.intent, "amount": wish.amount, "metadata": {"refund": wish.refund}}
        return _refund(self._ask(self._v1.refunds.create, params=params, options={"idempotency_key": wish.key}))

    def refund_now(self, *, id: str) -> base.RefundSeen:
        return _refund(self._ask(self._v1.refunds.retrieve, id))

    def refunds_of(self, *, intent: str) -> list[base.RefundSeen]:
        return [_refund(item) for item in self._all(self._v1.refunds.list, {"payment_intent": intent, "limit": 100})]

    def events_since(self, *, since: datetime) -> list[base.EventSeen]:
        newest_first = self._all(self._v1.events.list, {"created": {"gte": int(since.timestamp())}, "limit": 100})
        return [_event(item) for item in reversed(newest_first)]

    def read_event(self, *, body: bytes, signature: str, secrets: Sequence[str]) -> base.EventSeen:
        for secret in secrets:
            with contextlib.suppress(stripe.SignatureVerificationError, UnicodeDecodeError):
                stripe.WebhookSignature.verify_header(body, signature, secret, TOLERANCE_SECONDS)
                return _event(json.loads(body))
        raise base.BadSignature("no secret of ours signed this, or it is too old")

    def endpoint_version(self, *, url: str) -> str | None:
        ours = [item for item in self._all(self._v1.webhook_endpoints.list, {"limit": 100}) if item["url"] == url]
        return (ours[0]["api_version"] or "the account's default") if ours else None

    def _ask(self, verb: Callable[..., Any], *arguments: str, **named: Any) -> dict:
        """One request's answer as plain data; a second try at once when the first reached nobody."""
        try:
            with _asking():
                return verb(*arguments, **named).to_dict()
        except base.OutcomeUnknown as error:
            if not _reached_nobody(error):
                raise
        with _asking():
            return verb(*arguments, **named).to_dict()

    def _all(self, verb: Callable[..., Any], params: dict) -> list[dict]:
        """Every item of a list, over all its pages."""
        with _asking():
            return [item.to_dict() for item in verb(params=params).auto_paging_iter()]


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _checkout(session: dict) -> base.CheckoutSeen:
    intent = session["payment_intent"]
    return base.CheckoutSeen(
        id=session["id"],
        state=session["status"],
        url=session["url"] or "",
        expires_at=_moment(session["expires_at"]),
        intent=_intent(intent) if isinstance(intent, dict) else None,
    )


def _intent(intent: dict) -> base.IntentSeen:
    error = intent["last_payment_error"] or {}
    state = INTENT_STATES.get(intent["status"], "processing")
    metadata = intent["metadata"] or {}
    return base.IntentSeen(
        id=intent["id"],
        state="failed" if state == "started" and error else state,
        amount=gateway_amounts.from_gateway(intent["amount"], intent["currency"]),
        received=gateway_amounts.from_gateway(intent["amount_received"], intent["currency"]),
        failure=error.get("decline_code") or error.get("code") or "",
        agreement=metadata.get("agreement", ""),
        payment=metadata.get("payment", ""),
        attempt=metadata.get("attempt", ""),
    )


def _refund(refund: dict) -> base.RefundSeen:
    return base.RefundSeen(
        id=refund["id"],
        state=REFUND_STATES.get(refund["status"] or "", "pending"),
        amount=gateway_amounts.from_gateway(refund["amount"], refund["currency"]),
        intent=refund["payment_intent"] or "",
        refund=(refund["metadata"] or {}).get("refund", ""),
        failure=refund.get("failure_reason") or "",
    )


def _event(event: dict) -> base.EventSeen:
    subject = event["data"]["object"]
    kind = subject.get("object", "")
    intent = subject.get("id") if kind == "payment_intent" else subject.get("payment_intent")
    return base.EventSeen(
        id=event["id"],
        type=event["type"],
        api_version=event.get("api_version") or "",
        created_at=_moment(event["created"]),
        object_kind=kind,
        object_id=subject.get("id") or "",
        intent=intent if isinstance(intent, str) else "",
        payload=event,
    )
