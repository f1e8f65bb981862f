"""Which stacks a benchmark drives: one or two of every adapter that is built here, or those that --stack names."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence

from callbench.catalog.catalogue import Catalogue
from callbench.catalog.mixed import fits
from callbench.model.cell import Cell, Load, Stack
from callbench.model.request import DRIVER, only_call

# What stands for its adapter, light and heavy; of an adapter without one the first that can run does.
REPRESENTATIVE = (
    "native/json+http-keepalive",
    "native/soap+supertcp",
    "java/rmi",
    "java/grpc",
    "dotnet/remoting-tcp",
    "dotnet/wcf-basichttp",
    "windows/bin+namedpipe",
    "windows/com",
    "cpp/corba-omniorb",
    "dcom/orpc",
    "load/http1:gateway/json",
    "load/http1:go/nethttp",
    "load/http1:node/http",
    "load/http1:pascal/keepalive",
    "load/http1:python/uvicorn",
    "load/http1:rust/hyper",
)
CALL, ARGUMENTS = "GetPersons", {"n": 10}


def add_option(parser: ArgumentParser) -> None:
    """Adds --stack."""
    parser.add_argument("--stack", nargs="+", metavar="GLOB", help="default: one or two of every adapter built here")


def chosen(known: Catalogue, globs: Sequence[str] | None) -> Iterator[Stack]:
    """The stacks to be driven. Prints of each name and adapter that has none why."""
    if not globs:
        yield from _representatives(known)
        return
    for name in globs:
        found = [stack for stack in known.every if fits(stack.id, name)]
        if not found:
            print(f"{name}: there is no such stack")
        for stack in found:
            if stack.why_not:
                print(f"{stack.id}: cannot run here: {stack.why_not}")
            else:
                yield stack


def _representatives(known: Catalogue) -> Iterator[Stack]:
    for adapter in known.adapters:
        own = [stack for stack in known.every if _is_of(stack, adapter.name)]
        able = [stack for stack in own if stack.available]
        if own and not able:
            print(f"{adapter.name}: cannot run here: {own[0].why_not}")
        yield from [stack for stack in able if stack.id in REPRESENTATIVE] or able[:1]


def _is_of(stack: Stack, adapter: str) -> bool:
    """Whether it shows an adapter: both sides, or its server driven by the load driver."""
    if stack.instrument or (stack.mixed and not stack.client.startswith(DRIVER)):
        return False
    return stack.server.partition("/")[0] == adapter


def cell_of(stack: Stack, load: Load) -> Cell:
    """The one cell that a stack is driven in: ten persons, or what its server can carry."""
    call = only_call(stack) or CALL
    arguments = {"GetPersons": ARGUMENTS, "FindItems": ARGUMENTS}.get(call, {})
    return Cell("c001", call, stack.id, call, arguments, load)
