"""Ready or not: one question to a program, one answer. A program that cannot be reached is not ready; nothing here raises."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from portal.embedded.ports import LOOPBACK

Probe = Callable[[], Awaitable[bool]]
PATIENCE = 5  # seconds for one answer


def http(port: int, path: str) -> Probe:
    """Any answer below 500 to GET `path`."""
    question = f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n".encode()

    async def ask() -> bool:
        answer = await _ask(port, question)
        return answer.startswith(b"HTTP/1.") and answer[9:10] in (b"2", b"3", b"4")

    return ask


def valkey(port: int, password: str) -> Probe:
    """+PONG. A connect is not enough: while Valkey reads its append-only file it answers -LOADING."""
    question = f"AUTH {password}\r\nPING\r\n".encode()

    async def ask() -> bool:
        return b"+PONG" in await _ask(port, question, enough=b"+PONG")

    return ask


def command(*words: str) -> Probe:
    """Exit status 0 of a small program."""

    async def ask() -> bool:
        child = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        return await child.wait() == 0

    return ask


async def _ask(port: int, question: bytes, enough: bytes = b"\r\n") -> bytes:
    answer = b""
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            writer.write(question)
            while enough not in answer and (piece := await reader.read(1024)):
                answer += piece
            writer.close()
    except (OSError, TimeoutError):
        pass  # not there yet: the caller asks again
    return answer
