"""An ASGI application: the service as mORMot's server of the DataSnap article has it, one path, one answer."""

from collections.abc import Awaitable, Callable
from typing import Any

from callbench_python.slowness import Slowness

PATH = "/service/helloworld"
_BODY = b'{"result":["Hello World!"]}'
_JSON = [(b"content-type", b"application/json"), (b"content-length", str(len(_BODY)).encode())]

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class HelloWorld:
    """Answers, and counts what it answered.

    Attributes:
        counted: how many requests, refused ones aside.
    """

    def __init__(self, slowness: Slowness) -> None:
        """Be as slow as asked."""
        self._slowness = slowness
        self.counted = 0

    async def __call__(self, scope: Any, _receive: Receive, send: Send) -> None:  # noqa: ANN401 - ASGI's own
        """Answer one request."""
        if scope["type"] != "http":
            return
        if scope["path"] != PATH:
            await _refuse(send, 404, f"there is nothing at {scope['path']}: ask for {PATH}\n")
            return
        if scope["method"] != "GET":
            await _refuse(send, 405, f"{PATH} is asked with GET\n")
            return
        # Counted first, so that no client sees an answer that is not counted yet.
        self.counted += 1
        if not self._slowness.none:
            await self._slowness.take()
        await send({"type": "http.response.start", "status": 200, "headers": _JSON})
        await send({"type": "http.response.body", "body": _BODY})


async def _refuse(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})
