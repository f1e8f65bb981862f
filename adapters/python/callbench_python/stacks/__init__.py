"""The stacks of the adapter: those of each technology, which is a package here. A stack is imported when it is used."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules
from typing import Any, Protocol

from callbench_python import own
from callbench_python.service import Service
from callbench_python.stacks.technology import Sides, Technology


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


@cache
def technologies() -> Mapping[str, Technology]:
    """Every technology by its package: the packages within this one. What a stack needs is imported with the stack."""
    packages = [module.name for module in iter_modules(__path__) if module.ispkg]
    return {name: import_module(f"{__name__}.{name}").TECHNOLOGY for name in sorted(packages)}


def _present() -> Mapping[str, Technology]:
    """The technologies of this program, by their packages."""
    carried = "own" if own.CALLS else "ours"
    return {name: technology for name, technology in technologies().items() if technology.carries in ("all", carried)}


def names() -> list[str]:
    """The stacks that can be served."""
    return [stack for technology in _present().values() for stack in technology.stacks]


def libraries() -> dict[str, str]:
    """What the stacks are built on, with versions."""
    return {name: version(name) for technology in _present().values() for name in technology.libraries}


def server(stack: str) -> Serve:
    """What serves a stack."""
    package, sides = _sides(stack)
    serve: Serve = import_module(f"{package}.{sides.server}").serve
    return serve


def client(stack: str) -> Any:  # noqa: ANN401 - a module
    """What connects clients of a stack, by `connect(endpoint, clients, seconds)`, and knows its errors by `kind_of`."""
    package, sides = _sides(stack)
    return import_module(f"{package}.{sides.client}")


def _sides(stack: str) -> tuple[str, Sides]:
    """The package of a stack's technology, and its modules in there."""
    package, technology = next((name, each) for name, each in _present().items() if stack in each.stacks)
    return f"{__name__}.{package}", technology.stacks[stack]
