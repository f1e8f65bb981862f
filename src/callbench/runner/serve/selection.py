"""Which servers the names of `callbench serve` mean."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from callbench.catalog.catalogue import Catalogue, KnownAdapter
from callbench.model.cell import Stack, sides_of
from callbench.model.errors import BadInput
from callbench.model.suggestions import unknown
from callbench.runner.serve.offers import AdapterServer, OfferedServer, StackServer


def of(
    catalogue: Catalogue, names: Sequence[str], channels: Sequence[str], *, every: bool, options: Mapping[str, object]
) -> list[OfferedServer]:
    """Return the servers to run.

    Args:
        catalogue: all stacks.
        names: stacks or globs; `CLIENT:SERVER` means its server.
        channels: for `every`: the channels to switch on; empty: all.
        every: whether to serve all stacks of the adapters that serve all in one process.
        options: options of the contract's `serve`, for each stack.

    Raises:
        BadInput: a name means nothing, or something that cannot be served.
    """
    if every == bool(names):
        raise BadInput("say what to serve: --all, or stacks by name; `callbench list stacks` shows them")
    if every:
        if options:
            raise BadInput("--option is for stacks by name: with --all each is served as its card has it")
        return _all_servers(catalogue, channels)
    if channels:
        raise BadInput("--channels is for --all: stacks are given by name")
    stacks = list(dict.fromkeys(stack.id for name in names for stack in _stacks_named(catalogue, name)))
    return [_stack_server(catalogue, name, options) for name in stacks]


def _all_servers(catalogue: Catalogue, channels: Sequence[str]) -> list[OfferedServer]:
    able = [adapter for adapter in catalogue.adapters if _can_hold_all(adapter)]
    own = {adapter.name: _channels(adapter) for adapter in able}
    every = sorted({channel for some in own.values() for channel in some})
    for channel in channels:
        if channel not in every:
            raise BadInput(f"--channels {channel}: there is no such channel: {', '.join(every)} are")
    # Each adapter gets only its own channels, because it does not know others.
    wanted = {name: [channel for channel in some if not channels or channel in channels] for name, some in own.items()}
    return [
        AdapterServer(adapter.manifest, own[adapter.name], wanted[adapter.name])
        for adapter in able
        if wanted[adapter.name]
    ]


def _can_hold_all(adapter: KnownAdapter) -> bool:
    return adapter.manifest.serve_all and not adapter.why_not


def _channels(adapter: KnownAdapter) -> list[str]:
    """Return the adapter's channels that other programs can reach, in the manifest's order."""
    return list(dict.fromkeys(stack.channel for stack in adapter.stacks if stack.card.get("roles") == "both"))


def _stacks_named(catalogue: Catalogue, name: str) -> list[Stack]:
    servers = [stack for stack in catalogue.stacks if _why_no_server(stack) is None]
    named = sides_of(name)[1]
    exact = next((stack for stack in catalogue.stacks if stack.id == named), None)
    if exact is not None:
        why_not = _why_no_server(exact) or (exact.why_not and f"it cannot run here: {exact.why_not}")
        if why_not:
            raise BadInput(f"{named} cannot be served: {why_not}")
        return [exact]
    found = [stack for stack in servers if fnmatchcase(stack.id, named) and stack.available and not stack.instrument]
    if not found:
        raise BadInput(unknown("stack", name, [stack.id for stack in servers], "callbench list stacks"))
    return found


def _why_no_server(stack: Stack) -> str | None:
    if stack.own_only:
        return "it carries only the calls of a service of your own, for which its program is compiled by a run"
    match stack.card.get("roles"):
        case "client-only":
            return "it is a client, and has no server"
        case "in-process":
            return "its client and its server are one process, which other programs cannot call"
        case _:
            return None


def _stack_server(catalogue: Catalogue, name: str, options: Mapping[str, object]) -> OfferedServer:
    stack = next(stack for stack in catalogue.stacks if stack.id == name)
    programs = catalogue.programs(stack)
    return StackServer(stack, programs.server, programs.backend, options)
