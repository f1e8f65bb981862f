"""Mixed stacks: the client of one stack and the server of another, `CLIENT:SERVER`, with the same protocol.

An adapter with clients only, such as the load driver, is combined with every server whose card has a `request`.
"""

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from callbench.catalog.callers import CALLERS, narrower
from callbench.catalog.shared_facts import OF_CHANNEL, OF_MESSAGE
from callbench.model import request
from callbench.model.card import StackCard
from callbench.model.cell import MESSAGE_OPTIONS, MIXED, NO_ECHO_WITH, OWN, OWN_ONLY, USUAL_IN, Stack

PROTOCOL: Final = "protocol"
_CLIENT_ONLY = "client-only"
# Members of a card that belong to one side; the other members of a mixed card are merged from both.
_CLIENTS = ("clients", "region", "connections_per_client", "when_lost")
# What the messages and the channel are: a client that is combined with many servers may have none of its own.
_WIRE = (*OF_MESSAGE, *OF_CHANNEL, USUAL_IN, MESSAGE_OPTIONS, NO_ECHO_WITH)
_SERVERS = ("server_model", "counts", "external", "backend", "name_server", "busy_us", "closes_idle_s", request.KEY)


def every(stacks: Iterable[Stack]) -> Iterator[Stack]:
    """Yield each client with each other server of its protocol, in the order of the clients, then of the servers.

    An adapter with clients only is combined with each server whose card has a `request` of its protocol.
    """
    spoken: dict[str, list[Stack]] = {}
    there = [stack for stack in stacks if not (stack.in_process or stack.instrument)]
    for stack in there:
        protocol = stack.card.get(PROTOCOL)
        if protocol and stack.card.get("roles") != _CLIENT_ONLY:
            spoken.setdefault(protocol, []).append(stack)
    for speakers in spoken.values():
        for client in speakers:
            if client.card.get("roles") != "server-only":
                yield from (of(client, server) for server in speakers if server.id != client.id)
    for client in there:
        # Few have clients only: the others would be asked beside every server each time a command begins.
        if client.card.get("roles") == _CLIENT_ONLY:
            yield from (of(client, server) for server in there if is_called_by(client, server))


def is_called_by(client: Stack, server: Stack) -> bool:
    """Return whether the client's adapter has clients only, and the server's card says how to call it."""
    table = server.card.get(request.KEY)
    return (
        client.card.get("roles") == _CLIENT_ONLY and table is not None and table[PROTOCOL] == client.card.get(PROTOCOL)
    )


def suggestion_for_half(name: str, stacks: Iterable[Stack]) -> str | None:
    """Return which mixed stacks a stack with one side is part of, as an error message; None for any other name."""
    pairs = [stack.id for stack in stacks if stack.mixed and name in (stack.client, stack.server)]
    if not pairs:
        return None
    more = f" and {len(pairs) - 3} more" if len(pairs) > 3 else ""
    side = "clients" if pairs[0].startswith(f"{name}{MIXED}") else "a server"
    return f"{name} has {side} only, and is no stack by itself: name both sides, as {', '.join(pairs[:3])}{more}"


def why_not(client: Stack, server: Stack) -> str:
    """Return why the two are not a mixed stack, for messages."""
    if client.id == server.id:
        return f"both sides are {client.id}, which is a stack by itself"
    if client.card.get("roles") == _CLIENT_ONLY:
        spoken = client.card.get(PROTOCOL)
        return f"the card of {server.id} has no `request` of the protocol {spoken}, which says how {client.id} calls it"
    for stack in (client, server):
        if not stack.card.get(PROTOCOL):
            return f"the card of {stack.id} names no protocol"
        if stack.in_process or stack.instrument:
            return f"{stack.id} has no server that another's client could reach"
    if client.card[PROTOCOL] != server.card[PROTOCOL]:
        return f"{client.id} speaks {client.card[PROTOCOL]}, and {server.id} speaks {server.card[PROTOCOL]}"
    return f"{client.id} has no client"


def of(client: Stack, server: Stack) -> Stack:
    """Return the stack with the client of one and the server of the other.

    What both cards share is written once, other values as `CLIENT's: SERVER's`. Checks that either lacks, the mixed
    stack may lack. The load driver has no message of its own, so the server's words describe the calls.
    """
    whys = {stack.why_not: None for stack in (client, server) if stack.why_not}
    words = server if client.card.get("roles") == _CLIENT_ONLY else client
    return Stack(
        id=f"{client.id}{MIXED}{server.id}",
        adapter=_both(client.adapter, server.adapter),
        message=_both(words.message, server.message),
        channel=_both(words.channel, server.channel),
        language=_both(words.language, server.language),
        library=_both(words.library, server.library),
        version=_both(words.version, server.version),
        card=_card(client, server),
        lacks={**server.lacks, **client.lacks},
        why_not="; ".join(whys) or None,
    )


def _both(client: str, server: str) -> str:
    return client if client == server else f"{client}{MIXED}{server}"


def _card(client: Stack, server: Stack) -> StackCard:
    mine, other = cast("Mapping[str, Any]", client.card), cast("Mapping[str, Any]", server.card)
    card: dict[str, object] = {}
    # A client without a server of its own learns from the card how to call.
    left = PROTOCOL if mine.get("roles") == _CLIENT_ONLY else request.KEY
    for key in dict.fromkeys((*mine, *other)):
        if key in (left, OWN):
            continue
        if key in _CLIENTS or key in _SERVERS:
            combined = (mine if key in _CLIENTS else other).get(key)
        elif key == "compiles":
            combined = bool(mine.get(key) or other.get(key)) or None
        elif key in _WIRE:
            combined = other.get(key) or mine.get(key)
        elif key == CALLERS:
            combined = narrower(client.card, server.card)
        elif key in ("options", "explains"):
            combined = {**(other.get(key) or {}), **(mine.get(key) or {})}
        elif mine.get(key) == other.get(key):
            combined = mine[key]
        else:
            parts = (("the client", mine.get(key)), ("the server", other.get(key)))
            combined = "; ".join(f"{who}: {what}" for who, what in parts if what)
        if combined is not None:
            card[key] = combined
    # One side that carries calls of the user alone is enough for the stack to carry no others.
    owns = (mine.get(OWN), other.get(OWN))
    own = OWN_ONLY if OWN_ONLY in owns else all(owns)
    return cast("StackCard", card | {"roles": "both"} | ({OWN: own} if own else {}))


def fits(name: str, glob: str) -> bool:
    """Return whether a glob means a stack. It means mixed stacks only if it names both sides: `java/*` does not."""
    return (MIXED in glob or MIXED not in name) and fnmatch.fnmatchcase(name, glob)
