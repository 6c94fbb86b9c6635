"""POST with an Idempotency-Key."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import response

from portal.accounts.services import idempotency
from portal.toolkit import requests

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"


class Keyed:
    """Mixin before APIView: write `act(request, ...)` instead of `post`. With an Idempotency-Key header the first answer is kept, in the transaction of the
    act, and given again to every repeat (with `Idempotent-Replayed: true`); without one it acts each time. A refusal is not kept. No network in `act`."""

    def act(self, request: requests.Call, *args: Any, **kwargs: Any) -> response.Response:
        raise NotImplementedError

    def post(self, request: requests.Call, *args: object, **kwargs: object) -> response.Response:
        key = request.headers.get(HEADER)
        if key is None:
            return self.act(request, *args, **kwargs)
        answer = idempotency.once(
            scope=f"user:{request.user.pk}",
            key=key,
            request={"path": request.path, "body": request.data},
            act=lambda: _answer(self.act(request, *args, **kwargs)),
            now=timezone.now(),
        )
        return response.Response(answer.body, status=answer.status, headers={REPLAYED: "true"} if answer.repeated else None)


def _answer(given: response.Response) -> idempotency.Answer:
    return idempotency.Answer(body=given.data, status=given.status_code)
