"""Answers that are longer than memory."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django import http
from django.core.handlers.asgi import ASGIRequest

PARTS = 500


def streamed(request: http.HttpRequest, parts: Iterator[str], *, content_type: str, headers: dict[str, str]) -> http.StreamingHttpResponse:
    """Send `parts` as they come. Under ASGI Django would gather a plain iterator in memory first, so there each batch is fetched on its own."""
    batches = _batches(parts)
    content = _fetched(batches) if isinstance(request, ASGIRequest) else batches
    return http.StreamingHttpResponse(content, content_type=content_type, headers=headers)


def _batches(parts: Iterator[str]) -> Iterator[bytes]:
    while batch := list(itertools.islice(parts, PARTS)):
        yield "".join(batch).encode()


async def _fetched(batches: Iterator[bytes]) -> AsyncIterator[bytes]:
    while batch := await sync_to_async(lambda: next(batches, b""))():
        yield batch
