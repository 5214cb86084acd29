"""How much a request may ask for; what goes beyond is refused with a reason, before any work is done."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CLOSE = {"connection": "close"}  # the rest of the body is not read
UNLIMITED = ("/v1/health", "/metrics")  # they answer also when everything else is busy


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request, and all of them together, may take."""

    body: int = 1_000_000  # bytes
    inputs: int = 1_000  # of a request
    words: int = 10_000  # of an input, and tokens of its output
    shown: int = 200  # words of an input whose trace or other answers are asked for
    candidates: int = 20  # answers to one input
    seconds: float = 30.0  # for a request
    at_once: int = 100  # requests
    examples: int = 5_000  # to teach in the page


class LimitRequests:
    """Refuses bodies that are too large, requests beyond the number at once, and ends those that take too long."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNLIMITED:
            await self._app(scope, receive, send)
            return
        limits = self._limits
        if _announced(scope) > limits.body:
            await refuse(send, 413, _too_large(limits), _CLOSE)
        elif self._running >= limits.at_once:
            busy = f"{limits.at_once} requests are being answered; try again in a second"
            await refuse(send, 503, busy, {"retry-after": "1"})
        else:
            self._running += 1
            try:
                await self._answer(scope, receive, send)
            finally:
                self._running -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        read, started = 0, False

        async def counting_receive() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._limits.body:
                raise HTTPException(413, _too_large(self._limits), _CLOSE)  # seen only while it arrives
            return message

        async def noting_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._app(scope, counting_receive, noting_send)
        except TimeoutError:
            if not started:
                problem = f"this took longer than {self._limits.seconds:g} s; send fewer or shorter inputs at once"
                await refuse(send, 503, problem, {"retry-after": "5", **_CLOSE})


def _announced(scope: Scope) -> int:
    """Return the length that a request says it has; 0 where it says none."""
    values = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(values[0]) if values and values[0].isdigit() else 0


def _too_large(limits: Limits) -> str:
    return f"the request is larger than {limits.body:,} bytes; send it in parts"


async def refuse(send: Send, status: int, problem: str, headers: Mapping[str, str] | None = None) -> None:
    """Answer with an error as JSON, the same shape as all errors of the API."""
    body = json.dumps({"error": problem}).encode()
    fields = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    encoded = [(name.encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
