"""Mixed stacks: the client of one and the server of another, named `CLIENT:SERVER`, where both speak one protocol."""

import fnmatch
from collections.abc import Iterable, Iterator
from typing import Any

from callbench.cell import MIXED, Stack

PROTOCOL = "protocol"
# What a card says of its side: the other members of a mixed stack's card are both sides'.
_CLIENTS = ("connections_per_client", "when_lost")
_SERVERS = ("server_model",)


def every(stacks: Iterable[Stack]) -> Iterator[Stack]:
    """Each client with each other server of its protocol, clients in their order, then servers in theirs."""
    spoken: dict[str, list[Stack]] = {}
    for stack in stacks:
        protocol = stack.card.get(PROTOCOL)
        if protocol and not (stack.in_process or stack.instrument):
            spoken.setdefault(protocol, []).append(stack)
    for speakers in spoken.values():
        for client in speakers:
            if client.card.get("roles") != "server-only":
                yield from (of(client, server) for server in speakers if server.id != client.id)


def why_not(client: Stack, server: Stack) -> str:
    """Why the two are no mixed stack: for sentences."""
    if client.id == server.id:
        return f"both sides are {client.id}, which is a stack by itself"
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
    two may lack together.
    """
    whys = {stack.why_not: None for stack in (client, server) if stack.why_not}
    return Stack(
        id=f"{client.id}{MIXED}{server.id}",
        adapter=_both(client.adapter, server.adapter),
        message=_both(client.message, server.message),
        channel=_both(client.channel, server.channel),
        language=_both(client.language, server.language),
        library=_both(client.library, server.library),
        version=_both(client.version, server.version),
        card=_card(client, server),
        lacks={**server.lacks, **client.lacks},
        why_not="; ".join(whys) or None,
    )


def _both(client: str, server: str) -> str:
    return client if client == server else f"{client}{MIXED}{server}"


def _card(client: Stack, server: Stack) -> dict[str, Any]:
    mine, other = client.card, server.card
    card: dict[str, Any] = {}
    for key in dict.fromkeys((*mine, *other)):
        if key in _CLIENTS or key in _SERVERS:
            said = (mine if key in _CLIENTS else other).get(key)
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
