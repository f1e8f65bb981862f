"""External servers that no manifest has: a study's `[servers]`, and those of the command line, as an adapter."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from callbench import catalogue, manifest
from callbench.cell import MIXED, Stack
from callbench.errors import BadInput
from callbench.external.spec import KEY, PORT, Server, channel_of
from callbench.request import PROTOCOL, Request

OF_STUDY, OF_COMMAND_LINE = "servers", "given"
# The client-only stack that a server of the command line is called by.
DRIVER = "load/http1"
_LONGEST = 40


def added(
    known: catalogue.Catalogue, servers: Mapping[str, Server], file: Path, adapter: str = OF_STUDY
) -> catalogue.Catalogue:
    """A catalogue with these servers too, as the stacks `ADAPTER/NAME`.

    Args:
        known: what there is.
        servers: by name.
        file: that names them; their folders are relative to its.
        adapter: what they are called before the slash.

    Raises:
        BadInput: an adapter of that name is there already.
    """
    if not servers:
        return known
    for other in known.adapters:
        if other.name == adapter:
            raise BadInput(f"{file} has servers, and {other.manifest.file} is an adapter called {adapter}: rename it")
    entries = [{"channel": channel_of(server.request), **server.entry(name)} for name, server in servers.items()]
    read = manifest.of({"contract": 1, "name": adapter, "language": "any", "stack": entries}, file.absolute())
    one = catalogue.found(read)
    # What starts them has one language; each of them has its own.
    stacks = [
        replace(stack, language=server.language or "any")
        for stack, server in zip(one.stacks, servers.values(), strict=True)
    ]
    return replace(known, adapters=(*known.adapters, replace(one, stacks=tuple(stacks))))


def of_plan(known: catalogue.Catalogue, stacks: Iterable[Stack]) -> catalogue.Catalogue:
    """A catalogue with the servers that a plan's study had, as its cards have them: what a run goes on with."""
    mine = [stack for stack in stacks if stack.server.startswith(f"{OF_STUDY}/") and KEY in stack.card]
    if not mine:
        return known
    servers = {}
    for stack in mine:
        said = {**stack.card[KEY], "request": stack.card["request"], "message": stack.message, "channel": stack.channel}
        servers[stack.server.partition("/")[2]] = Server(**said, language=stack.language, library=stack.library or None)
    return added(known, servers, Path.cwd() / "plan.json")


def is_given(text: str) -> bool:
    """Whether a name on the command line is no stack's, but a server: a URL, or a command.

    A command has {port} in it; what has blanks was meant for one.
    """
    return PORT in text or " " in text or text.startswith(("http://", "https://"))


def server_of(text: str, path: str | None, request: Mapping[str, Any]) -> Server:
    """A server of the command line.

    Args:
        text: a URL, or a command with {port} in it.
        path: behind host and port of the command.
        request: how it is called, and what it must answer.

    Raises:
        BadInput: in one sentence.
    """
    try:
        if "://" in text.partition(" ")[0]:
            if path is not None:
                raise BadInput(f"--path {path} is for a command that is started: {text} has its own")
            return Server(url=text, request=Request(**request))
        return Server(start=tuple(shlex.split(text)), path=path, folder=str(Path.cwd()), request=Request(**request))
    except ValidationError as failure:
        message = failure.errors()[0]["msg"].removeprefix("Value error, ")
        raise BadInput(f"{text}: {message}") from None
    except ValueError as failure:
        raise BadInput(f"{text} is no command: {failure}") from None


def named(
    known: catalogue.Catalogue, names: Sequence[str], path: str | None, request: Mapping[str, Any]
) -> tuple[catalogue.Catalogue, list[str]]:
    """A catalogue with the servers among these names, and the names with stacks in their place.

    Raises:
        BadInput: something is wrong with one, or there is none though a path or an answer is given.
    """
    servers: dict[str, Server] = {}
    stacks = []
    for text in names:
        if not is_given(text):
            stacks.append(text)
            continue
        name = _name(text, servers)
        servers[name] = server_of(text, path, {"protocol": PROTOCOL, **request})
        stacks.append(f"{DRIVER}{MIXED}{OF_COMMAND_LINE}/{name}")
    if not servers and (path is not None or request):
        raise BadInput("--path and --expect-body are for a server of your own: a URL, or a command with {port} in it")
    return added(known, servers, Path.cwd() / "the command line", OF_COMMAND_LINE), stacks


def _name(text: str, taken: Mapping[str, Server]) -> str:
    """A name that tells the server to a person, and that no other has."""
    bare = text.replace(PORT, "").partition("://")[2] or " ".join(
        Path(word).name for word in text.replace(PORT, "").split()
    )
    short = re.sub(r"[^A-Za-z0-9._+]+", "-", bare).strip("-._+")[:_LONGEST] or "server"
    number = 1
    while (name := short if number == 1 else f"{short}-{number}") in taken:
        number += 1
    return name
