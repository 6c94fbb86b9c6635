"""What the portal asks of a payment gateway, and what it hears. Plain data: no row of ours goes in, no object of the vendor comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from portal.kernel.money import Money


class OutcomeUnknown(Exception):
    """No usable answer: the request may have taken effect. Ask again with the same key. `answered` says that the gateway answered with a fault of its own,
    which it repeats for as long as it keeps the key."""

    def __init__(self, message: str, *, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


class Misconfigured(OutcomeUnknown):
    """The gateway does not accept our key: nothing happened, and nothing will until an operator has mended the settings."""


class Refused(Exception):
    """The gateway understood and will not do it; asking again with the same key changes nothing. `code` is the gateway's own."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class BadSignature(Exception):
    """A message that was not signed by the gateway with a secret of ours, or that is too old."""


class NoSuchObject(Refused):
    """The gateway does not know this id."""


@dataclass(frozen=True, slots=True)
class CheckoutWish:
    """One hosted checkout. Only plain values, so that the very same request can be stored and sent again. `amount` is in the gateway's units."""

    key: str
    amount: int
    currency: str
    title: str
    description: str
    agreement: str
    payment: str
    attempt: str
    success_url: str
    cancel_url: str
    expires_at: int
    language: str
    email: str


@dataclass(frozen=True, slots=True)
class RefundWish:
    key: str
    intent: str
    amount: int
    refund: str  # our number: by it a refund of unknown outcome is found again


@dataclass(frozen=True, slots=True)
class IntentSeen:
    """A payment as the gateway tells it. state: started | processing | requires_action | succeeded | failed | cancelled. `agreement`, `payment` and `attempt`
    are ours, as given with the wish; empty for one that is not ours."""

    id: str
    state: str
    amount: Money
    received: Money
    failure: str = ""
    agreement: str = ""
    payment: str = ""
    attempt: str = ""


@dataclass(frozen=True, slots=True)
class CheckoutSeen:
    """A hosted checkout. state: open | complete | expired. `intent` is None until a card was tried."""

    id: str
    state: str
    url: str
    expires_at: datetime
    intent: IntentSeen | None = None


@dataclass(frozen=True, slots=True)
class RefundSeen:
    """A refund as the gateway tells it. state: pending | succeeded | failed."""

    id: str
    state: str
    amount: Money
    intent: str
    refund: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class EventSeen:
    """A message of the gateway. `object_kind` and `object_id` name what it is about, `intent` the payment that this belongs to, if it does."""

    id: str
    type: str
    api_version: str
    created_at: datetime
    object_kind: str
    object_id: str
    intent: str
    payload: dict = field(repr=False)


class Gateway(Protocol):
    """Every call may raise OutcomeUnknown and Refused. Requests that move money carry a key and are safe to repeat with it."""

    @property
    def api_version(self) -> str: ...

    def open_checkout(self, *, wish: CheckoutWish) -> CheckoutSeen:
        """A hosted page on which the customer pays."""

    def checkout(self, *, id: str) -> CheckoutSeen:
        """The checkout as it is now, with its payment."""

    def expire_checkout(self, *, id: str) -> CheckoutSeen:
        """Close an open checkout, so that nobody pays there any more. Raises Refused when it is no longer open."""

    def intent(self, *, id: str) -> IntentSeen:
        """The payment as it is now."""

    def refund(self, *, wish: RefundWish) -> RefundSeen:
        """Give money back."""

    def refund_now(self, *, id: str) -> RefundSeen:
        """The refund as it is now."""

    def refunds_of(self, *, intent: str) -> list[RefundSeen]:
        """All refunds of a payment, whoever made them."""

    def events_since(self, *, since: datetime) -> list[EventSeen]:
        """Everything the gateway has to tell from `since` on, oldest first."""

    def read_event(self, *, body: bytes, signature: str, secrets: Sequence[str]) -> EventSeen:
        """The event in a signed message. Raises BadSignature."""

    def endpoint_version(self, *, url: str) -> str | None:
        """The version of the interface in which the gateway writes to our endpoint at `url`; None when it has no such endpoint."""
