"""A websocket to a consumer without a server. (channels.testing needs daphne, which the product does not use.)"""

from __future__ import annotations

import asyncio

from asgiref.testing import ApplicationCommunicator


class Socket(ApplicationCommunicator):
    """`scope` carries what the middleware would have put there: path, user, url_route."""

    def __init__(self, consumer: type, **scope: object) -> None:
        super().__init__(consumer.as_asgi(), {"type": "websocket", "path": "/", "headers": [], "query_string": b"", **scope})

    async def open(self) -> Socket:
        await self.send_input({"type": "websocket.connect"})
        assert (await self.receive_output(5))["type"] == "websocket.accept"
        return self

    async def text(self, within: float = 2) -> str:
        message = await self.receive_output(within)
        assert message["type"] == "websocket.send", message
        return message["text"]

    async def code(self, within: float = 5) -> int:
        """The code with which the consumer closes; readings before it are passed over."""
        async with asyncio.timeout(within):
            while (message := await self.receive_output(within))["type"] != "websocket.close":
                pass
        return message["code"]

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(5)
