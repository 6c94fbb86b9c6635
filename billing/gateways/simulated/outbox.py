"""Delivery of events to the one webhook endpoint: signed, from rows, with retry. What was not delivered before a crash is delivered after it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import time

import httpx

from billing.gateways.simulated.store import Store

log = logging.getLogger("stand-in")
PAUSES = (1, 2, 4, 8, 15, 30, 60, 120, 300, 600)  # seconds before the next try, then the last one again
GIVEN_UP_AFTER = 3 * 24 * 3600
AT_ONCE = 50


def signature(body: str, secrets: list[str], moment: int) -> str:
    """The header that the vendor sends: one v1 per secret, so that a receiver who rolls his secret knows one of them."""
    signed = [hmac.new(secret.encode(), f"{moment}.{body}".encode(), hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={moment}", *(f"v1={digest}" for digest in signed)])


class Outbox:
    """Sends due deliveries. `ring()` wakes it; without a ring it looks once a second."""

    def __init__(self, store: Store, url: str, secrets: list[str]) -> None:
        self.store, self.url, self.secrets = store, url, secrets
        self._bell = asyncio.Event()

    def ring(self) -> None:
        self._bell.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        async with httpx.AsyncClient(timeout=10, trust_env=False) as client:
            while True:
                self._bell.clear()
                due = self._due() if self.url else []
                for row in due:  # one after the other: the order is the one asked for
                    await self._deliver(client, row)
                if len(due) < AT_ONCE:
                    await self._nap()

    async def _nap(self) -> None:
        try:
            await asyncio.wait_for(self._bell.wait(), timeout=1)
        except TimeoutError:
            return

    def _due(self) -> list:
        rows = "SELECT * FROM deliveries WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, seq LIMIT ?"
        return self.store.db.execute(rows, (self.store.now(), AT_ONCE)).fetchall()

    async def _deliver(self, client: httpx.AsyncClient, row) -> None:
        body = json.dumps(self.store.get("event", row["event"]))
        secrets = ["whsec_forged"] if row["forged"] and row["attempts"] == 0 else self.secrets
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Stripe-Signature": signature(body, secrets, int(time.time())),
            "User-Agent": "Stripe/1.0 (simulated)",
        }
        try:
            response = await client.post(self.url, content=body, headers=headers)
            said = str(response.status_code)
        except httpx.HTTPError as error:
            said = type(error).__name__
        self._write_down(row, said)

    def _write_down(self, row, said: str) -> None:
        now, attempts = self.store.now(), row["attempts"] + 1
        with self.store.transaction():
            if said.startswith("2"):
                state, due = "delivered", row["due_at"]
                event = self.store.known("event", row["event"])
                self.store.save({**event, "pending_webhooks": 0})
            else:
                state = "given up" if now - row["first_due_at"] > GIVEN_UP_AFTER else "waiting"
                due = now + PAUSES[min(attempts, len(PAUSES)) - 1]
                log.info("event %s was not taken (%s); try %d", row["event"], said, attempts)
            values = (state, due, attempts, said, row["seq"])
            self.store.db.execute("UPDATE deliveries SET state = ?, due_at = ?, attempts = ?, last_answer = ? WHERE seq = ?", values)
