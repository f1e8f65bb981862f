"""The stacks of the adapter: which module has each side. A module is imported when its stack is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any, Protocol

from callbench_python import own
from callbench_python.service import Service


class Server(Protocol):
    """What serves a stack.

    Attributes:
        endpoint: where it answers.
    """

    endpoint: str

    def counted(self) -> dict[str, Any]:
        """The members `calls` and `processor` of `counts`."""

    def close(self) -> None:
        """End it, with its connections."""


# Given the request to serve, and the service; the module's `serve` makes the server.
Serve = Callable[[Mapping[str, Any], Service], Server]


@dataclass(frozen=True)
class Sides:
    """The modules of a stack; a side that it does not have is None."""

    client: str | None
    server: str


STACKS = {
    "json+httpx": Sides("jsonrpc.httpx_threads", "jsonrpc.uvicorn_one"),
    "json+httpx-async": Sides("jsonrpc.httpx_async", "jsonrpc.uvicorn_one"),
    "json+aiohttp": Sides("jsonrpc.aiohttp_async", "jsonrpc.uvicorn_one"),
    "json+uvicorn-workers": Sides(None, "jsonrpc.uvicorn_workers"),
}
# What carries no call of the user, and what carries no other.
_OTHER_STACKS = {"uvicorn": Sides(None, "hello.hello_world")}
_OWN_STACKS = {
    "protobuf+grpc": Sides("grpcio.grpc_threads", "grpcio.grpc_server"),
    "protobuf+grpc-async": Sides("grpcio.grpc_async", "grpcio.grpc_server"),
}
_LIBRARIES = ("aiohttp", "httpx", "httptools", "uvicorn", "uvloop")
_OWN_LIBRARIES = ("grpcio", "protobuf")


def _present() -> Mapping[str, Sides]:
    return {**STACKS, **(_OWN_STACKS if own.CALLS else _OTHER_STACKS)}


def names() -> list[str]:
    """The stacks that can be served."""
    return list(_present())


def libraries() -> dict[str, str]:
    """What the stacks are built on, with versions."""
    return {name: version(name) for name in (*_LIBRARIES, *(_OWN_LIBRARIES if own.CALLS else ()))}


def server(stack: str) -> Serve:
    """What serves a stack."""
    serve: Serve = import_module(f"{__name__}.{_present()[stack].server}").serve
    return serve


def client(stack: str) -> Any:  # noqa: ANN401 - a module
    """What connects clients of a stack, by `connect(endpoint, clients, seconds)`, and knows its errors by `kind_of`."""
    return import_module(f"{__name__}.{_present()[stack].client}")
