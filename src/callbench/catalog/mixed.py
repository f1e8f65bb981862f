"""Mixed stacks: the client of one and the server of another, named `CLIENT:SERVER`, where both speak one protocol.

What has clients only, as the load driver, meets every server whose card has a `request` that says how it is called.
"""

import fnmatch
from collections.abc import Iterable, Iterator
from typing import Any

from callbench.model import request
from callbench.model.cell import MIXED, Stack

PROTOCOL = "protocol"
_CLIENT_ONLY = "client-only"
# What a card says of its side: the other members of a mixed stack's card are both sides'.
_CLIENTS = ("clients", "region", "connections_per_client", "when_lost")
_SERVERS = ("server_model", "counts", "external", "backend", "busy_us", request.KEY)


def every(stacks: Iterable[Stack]) -> Iterator[Stack]:
    """Each client with each other server of its protocol, clients in their order, then servers in theirs.

    What has clients only meets each server whose card has a `request` of its protocol.
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
        yield from (of(client, server) for server in there if is_called_by(client, server))


def is_called_by(client: Stack, server: Stack) -> bool:
    """Whether the one has clients only, and the other's card tells how they call it."""
    table = server.card.get(request.KEY)
    return (
        client.card.get("roles") == _CLIENT_ONLY and table is not None and table[PROTOCOL] == client.card.get(PROTOCOL)
    )


def instead(name: str, every: Iterable[Stack]) -> str | None:
    """What to say of the name of a stack with one side only: which mixed stacks it is part of. None of any other."""
    found = [stack.id for stack in every if stack.mixed and name in (stack.client, stack.server)]
    if not found:
        return None
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    side = "clients" if found[0].startswith(f"{name}{MIXED}") else "a server"
    return f"{name} has {side} only, and is no stack by itself: name both sides, as {', '.join(found[:3])}{more}"


def why_not(client: Stack, server: Stack) -> str:
    """Why the two are no mixed stack: for sentences."""
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
    spoken = [stack.card[PROTOCOL] for stack in (client, server)]
    if spoken[0] != spoken[1]:
        return f"{client.id} speaks {spoken[0]}, and {server.id} speaks {spoken[1]}"
    return f"{client.id} has no client"


def of(client: Stack, server: Stack) -> Stack:
    """The stack whose calls the client of one makes to the server of the other.

    What both cards say alike is said once, what they do not as `CLIENT's: SERVER's`. What either is known to lack, the
    two may lack together. The load driver has no message of its own: what it calls is told by the server's words.
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


def _card(client: Stack, server: Stack) -> dict[str, Any]:
    mine, other = client.card, server.card
    card: dict[str, Any] = {}
    # Who has clients only is told by the card how it calls; who has a server too knows.
    left = PROTOCOL if mine.get("roles") == _CLIENT_ONLY else request.KEY
    for key in dict.fromkeys((*mine, *other)):
        if key == left:
            continue
        if key in _CLIENTS or key in _SERVERS:
            said = (mine if key in _CLIENTS else other).get(key)
        elif key == "compiles":
            said = bool(mine.get(key) or other.get(key)) or None
        elif key in ("options", "explains"):
            said = {**(other.get(key) or {}), **(mine.get(key) or {})}
        elif mine.get(key) == other.get(key):
            said = mine[key]
        else:
            parts = (("the client", mine.get(key)), ("the server", other.get(key)))
            said = "; ".join(f"{who}: {what}" for who, what in parts if what)
        if said is not None:
            card[key] = said
    return card | {"roles": "both"}


def fits(name: str, glob: str) -> bool:
    """Whether a glob means a stack. It means mixed ones only where it names both sides: `java/*` means none."""
    return (MIXED in glob or MIXED not in name) and fnmatch.fnmatchcase(name, glob)
