"""A payment gateway in memory: what a customer, a bank and the vendor do is played by the test, and every change leaves an event to be delivered in any
order. It keeps the vendor's promises: same key, same answer; never more refunded than captured; what it tells is the present state."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from datetime import UTC, datetime

from billing.domain import gateway_amounts
from billing.gateways import base
from portal.kernel.money import Money


class Vendor:
    """`away` makes every request fail without effect, `mute` the next one succeed without an answer, `faulty` the next one answer with a stored fault."""

    api_version = "2026-10-28.endive"

    def __init__(self) -> None:
        self.checkouts: dict[str, base.CheckoutSeen] = {}
        self.wishes: dict[str, base.CheckoutWish] = {}
        self.intents: dict[str, base.IntentSeen] = {}
        self.refunds: dict[str, base.RefundSeen] = {}
        self.answers: dict[str, tuple[object, object]] = {}
        self.events: list[base.EventSeen] = []
        self.asked: list[str] = []
        self.away = self.mute = self.faulty = False
        self.course_of_refunds = "succeeded"

    # What the portal asks

    def open_checkout(self, *, wish: base.CheckoutWish) -> base.CheckoutSeen:
        return self._once("open_checkout", wish.key, wish, lambda: self._open(wish))

    def checkout(self, *, id: str) -> base.CheckoutSeen:
        self._ask("checkout")
        return self._checkout(id)

    def expire_checkout(self, *, id: str) -> base.CheckoutSeen:
        self._ask("expire_checkout")
        if self.checkouts[id].state != "open":
            raise base.Refused("only an open checkout can be expired")
        return self.expire(id)

    def intent(self, *, id: str) -> base.IntentSeen:
        self._ask("intent")
        if id not in self.intents:
            raise base.NoSuchObject(f"no such intent {id}")
        return self.intents[id]

    def refund(self, *, wish: base.RefundWish) -> base.RefundSeen:
        return self._once("refund", wish.key, wish, lambda: self.give_back(wish.intent, wish.amount, refund=wish.refund))

    def refund_now(self, *, id: str) -> base.RefundSeen:
        self._ask("refund_now")
        return self.refunds[id]

    def refunds_of(self, *, intent: str) -> list[base.RefundSeen]:
        self._ask("refunds_of")
        return [refund for refund in self.refunds.values() if refund.intent == intent]

    def events_since(self, *, since: datetime) -> list[base.EventSeen]:
        self._ask("events_since")
        return list(self.events)

    def read_event(self, *, body: bytes, signature: str, secrets: Sequence[str]) -> base.EventSeen:
        if signature != "signed":
            raise base.BadSignature("not signed")
        wanted = json.loads(body)["id"]
        return next(event for event in self.events if event.id == wanted)

    def endpoint_version(self, *, url: str) -> str | None:
        self._ask("endpoint_version")
        return self.api_version

    # What customers, banks and the vendor's own people do

    def card(self, session: str, state: str = "succeeded", failure: str = "") -> str:
        """A customer chooses a card on the hosted page; it ends in `state`. Returns the intent's id."""
        seen, wish = self._checkout(session), self.wishes[session]
        amount = gateway_amounts.from_gateway(wish.amount, wish.currency)
        id = seen.intent.id if seen.intent else f"pi_{len(self.intents) + 1}"
        received = amount if state == "succeeded" else Money.zero(amount.currency)
        self.intents[id] = base.IntentSeen(id, state, amount, received, failure, wish.agreement, wish.payment, wish.attempt)
        over = state in ("succeeded", "processing")
        self.checkouts[session] = dataclasses.replace(seen, state="complete" if over else seen.state, intent=self.intents[id], url="" if over else seen.url)
        self._tell(f"payment_intent.{state}", "payment_intent", id, id)
        if over:
            self._tell("checkout.session.completed", "checkout.session", session, id)
        return id

    def settle(self, intent: str, state: str = "succeeded", failure: str = "") -> None:
        """The bank's answer to a payment that was processing or that asked for a confirmation."""
        seen = self.intents[intent]
        received = seen.amount if state == "succeeded" else Money.zero(seen.amount.currency)
        self.intents[intent] = dataclasses.replace(seen, state=state, received=received, failure=failure)
        self._tell(f"payment_intent.{state}", "payment_intent", intent, intent)

    def expire(self, session: str) -> base.CheckoutSeen:
        seen = self._checkout(session)
        if seen.intent is not None and seen.intent.state != "succeeded":
            self.settle(seen.intent.id, "cancelled")
        self.checkouts[session] = dataclasses.replace(seen, state="expired", url="")
        self._tell("checkout.session.expired", "checkout.session", session, "")
        return self._checkout(session)

    def give_back(self, intent: str, amount: int, refund: str = "") -> base.RefundSeen:
        """A refund, by the portal or (without `refund`) by someone in the vendor's dashboard."""
        seen = self.intents[intent]
        given = [each.amount for each in self.refunds.values() if each.intent == intent and each.state != "failed"]
        money = gateway_amounts.from_gateway(amount, seen.amount.currency)
        if sum((each.minor for each in given), money.minor) > seen.received.minor:
            raise base.Refused("greater than what is left", code="amount_too_large")
        made = base.RefundSeen(f"re_{len(self.refunds) + 1}", self.course_of_refunds, money, intent, refund)
        self.refunds[made.id] = made
        self._tell("refund.created", "refund", made.id, intent)
        self._tell("charge.refunded", "charge", f"ch_{intent}", intent)
        return made

    def settle_refund(self, id: str, state: str) -> None:
        self.refunds[id] = dataclasses.replace(self.refunds[id], state=state, failure="expired_or_canceled_card" if state == "failed" else "")
        self._tell("refund.failed" if state == "failed" else "refund.updated", "refund", id, self.refunds[id].intent)

    def body(self, event: base.EventSeen) -> bytes:
        return json.dumps({"id": event.id}).encode()

    # Inside

    def _ask(self, verb: str) -> None:
        self.asked.append(verb)
        if self.away:
            raise base.OutcomeUnknown("nobody listens")

    def _once(self, verb: str, key: str, wish: object, act) -> object:
        self._ask(verb)
        if key not in self.answers:
            answer = act()
            self.answers[key] = (wish, base.OutcomeUnknown("a fault of the service", answered=True) if self.faulty else answer)
            self.faulty = False
        asked, answer = self.answers[key]
        if asked != wish:
            raise base.Refused("other parameters with the same key", code="idempotency_error")
        if self.mute:
            self.mute = False
            raise base.OutcomeUnknown("no answer in time")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _open(self, wish: base.CheckoutWish) -> base.CheckoutSeen:
        id = f"cs_{len(self.checkouts) + 1}"
        self.wishes[id] = wish
        self.checkouts[id] = base.CheckoutSeen(id, "open", f"http://127.0.0.1:1/c/pay/{id}", datetime.fromtimestamp(wish.expires_at, UTC))
        return self.checkouts[id]

    def _checkout(self, id: str) -> base.CheckoutSeen:
        if id not in self.checkouts:
            raise base.NoSuchObject(f"no such checkout {id}")
        seen = self.checkouts[id]
        return dataclasses.replace(seen, intent=self.intents[seen.intent.id]) if seen.intent else seen

    def _tell(self, type: str, kind: str, id: str, intent: str) -> None:
        subject = {"object": kind, "id": id, **({"payment_intent": intent} if kind != "payment_intent" else {})}
        number = f"evt_{len(self.events) + 1}"
        payload = {"id": number, "type": type, "data": {"object": subject}}
        self.events.append(base.EventSeen(number, type, self.api_version, datetime(2026, 12, 1, tzinfo=UTC), kind, id, intent, payload))
