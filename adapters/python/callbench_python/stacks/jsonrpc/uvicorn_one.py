"""The server of JSON over HTTP: an ASGI application without a framework on uvicorn, in one process."""

import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import uvicorn

from callbench_python.driving import processor
from callbench_python.service import Service
from callbench_python.stacks.jsonrpc import json_rpc

PATH = "/json"
_BACKLOG = 2048  # uvicorn's own
_START_SECONDS = 20.0
_END_SECONDS = 4.0

Headers = list[tuple[bytes, bytes]]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]


def listener_at(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        OSError: it cannot listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)


def endpoint_of(listener: socket.socket, path: str) -> str:
    """The URL of a path there."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}{path}" if ":" in host else f"http://{host}:{port}{path}"


class Uvicorn:
    """A server on its own thread, because other threads read from the host.

    Attributes:
        endpoint: its address.
    """

    def __init__(self, listener: socket.socket, path: str, application: Application, service: Service) -> None:
        """Start it.

        Raises:
            RuntimeError: it did not start.
        """
        self.endpoint, self._service = endpoint_of(listener, path), service
        # No line a request, since none of the other servers writes one.
        settings = uvicorn.Config(
            application, loop="uvloop", http="httptools", lifespan="off", log_level="warning", access_log=False
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        due = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > due:
                raise RuntimeError("uvicorn did not start: its log says why")
            time.sleep(0.005)

    def counted(self) -> dict[str, Any]:
        """The answered calls since the last request, and the processor time of the process."""
        return {"calls": self._service.take_counts(), "processor": processor()}

    def close(self) -> None:
        """End it, with its connections."""
        self._server.force_exit = True
        self._server.should_exit = True
        self._thread.join(_END_SECONDS)


def application(service: Service) -> Application:
    """Answers JSON-RPC by POST."""

    async def answer(scope: Any, receive: Receive, send: Send) -> None:  # noqa: ANN401 - ASGI's own
        if scope["type"] != "http":
            return
        if scope["path"] != PATH:
            await respond(send, 404, f"nothing is served at {scope['path']}: there is {PATH}\n")
        elif scope["method"] != "POST":
            await respond(send, 405, f"{PATH} answers calls by POST\n")
        else:
            message = await receive()
            body = message["body"]
            while message.get("more_body"):
                message = await receive()
                body += message["body"]
            await respond(send, 200, await json_rpc.answered(body, service))

    return answer


async def respond(send: Send, status: int, body: bytes | str) -> None:
    """Answer with JSON, or refuse with a sentence."""
    kind, octets = (
        (b"application/json", body) if isinstance(body, bytes) else (b"text/plain; charset=utf-8", body.encode())
    )
    headers = [(b"content-type", kind), (b"content-length", str(len(octets)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": octets})


def serve(request: Mapping[str, Any], service: Service) -> Uvicorn:
    """Serve; a worker of `uvicorn_workers` is given the socket that all of them share."""
    shared = request["options"].get("listener")
    listener = listener_at(request["host"], request["port"]) if shared is None else socket.socket(fileno=os.dup(shared))
    return Uvicorn(listener, PATH, application(service), service)
