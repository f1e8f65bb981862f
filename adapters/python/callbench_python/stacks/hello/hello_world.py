"""`uvicorn`: the service as mORMot's server of the DataSnap article has it, one path, one answer."""

from collections.abc import Mapping
from typing import Any

from callbench_python.service import Service
from callbench_python.stacks.jsonrpc.uvicorn_one import Application, Receive, Send, Uvicorn, listener_at, respond

PATH = "/service/helloworld"
_BODY = b'{"result":["Hello World!"]}'


def application(service: Service) -> Application:
    """Answers one path by GET."""

    async def answer(scope: Any, _receive: Receive, send: Send) -> None:  # noqa: ANN401 - ASGI's own
        if scope["type"] != "http":
            return
        if scope["path"] != PATH:
            await respond(send, 404, f"there is nothing at {scope['path']}: ask for {PATH}\n")
        elif scope["method"] != "GET":
            await respond(send, 405, f"{PATH} is asked with GET\n")
        else:
            await service.answer("Hello", {})
            await respond(send, 200, _BODY)

    return answer


def serve(request: Mapping[str, Any], service: Service) -> Uvicorn:
    """Serve it."""
    return Uvicorn(listener_at(request["host"], request["port"]), PATH, application(service), service)
