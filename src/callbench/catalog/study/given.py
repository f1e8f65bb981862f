"""External servers that no manifest has: a study's `[servers]`, and those of the command line, as an adapter."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from callbench.catalog import catalogue, manifest, mixed
from callbench.catalog.external import KEY, PORT, Server, channel_of
from callbench.catalog.study import load
from callbench.model.cell import MIXED, Stack
from callbench.model.errors import BadInput
from callbench.model.request import DRIVER, PROTOCOL, Request

OF_STUDY, OF_COMMAND_LINE = "servers", "given"
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
        said["compiles"] = stack.card.get("compiles")
        servers[stack.server.partition("/")[2]] = Server(**said, language=stack.language, library=stack.library or None)
    return added(known, servers, Path.cwd() / "plan.json")


def is_given(text: str) -> bool:
    """Whether a name on the command line is no stack's, but a server: a URL, or a command.

    A command has {port} in it; what has blanks was meant for one.
    """
    return PORT in text or " " in text or is_url(text)


def is_url(text: str) -> bool:
    """Whether a text is meant for a URL, whatever its scheme. A command may have one among its words."""
    return "://" in text.partition(" ")[0]


@dataclass(frozen=True)
class Given:
    """What a command line says of servers of one's own.

    Attributes:
        study: a name or a file: its `[servers]` can be named; None: no study's.
        path: behind host and port of each server that is started, and of a URL that has no path of its own.
        request: members of `Request`, laid over what a study's server has.
        pid: the process behind a URL.
        options: how a person typed what is for a server of one's own only, as `--path`.
    """

    study: str | None = None
    path: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    pid: int | None = None
    options: tuple[str, ...] = ()

    def without(self, member: str, option: str) -> "Given":
        """The same without a member of the request that a command applies to stacks too."""
        request = {name: value for name, value in self.request.items() if name != member}
        return replace(self, request=request, options=tuple(one for one in self.options if one != option))


def server_of(text: str, said: Given) -> Server:
    """A server of the command line.

    Args:
        text: a URL, or a command with {port} in it.
        said: how it is called, and what it must answer.

    Raises:
        BadInput: in one sentence.
    """
    try:
        if is_url(text):
            request = {**said.request} if has_path(text) else _with_path(said)
            return Server(url=text, pid=said.pid, request=Request(**request))
        if said.pid is not None:
            raise BadInput(f"--pid is for a URL: `{text}` is started by Callbench, which knows its processes")
        return Server(start=tuple(shlex.split(text)), folder=str(Path.cwd()), request=Request(**_with_path(said)))
    except ValidationError as failure:
        raise BadInput(f"{text}: {_sentence(failure)}") from None
    except ValueError as failure:
        raise BadInput(f"{text} is no command: {failure}") from None


def _with_path(said: Given) -> dict[str, Any]:
    return {**said.request, **({} if said.path is None else {"path": said.path})}


def _sentence(failure: ValidationError) -> str:
    first = failure.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    return f"{first['loc'][0]}: {message}" if first["loc"] and first["type"] != "value_error" else message


def has_path(url: str) -> bool:
    """Whether a URL has a path or a query of its own."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return True  # What is wrong with it is said where it is read.
    return parts.path not in ("", "/") or bool(parts.query)


def named(known: catalogue.Catalogue, names: Sequence[str], said: Given) -> tuple[catalogue.Catalogue, list[str]]:
    """A catalogue with the servers among these names, and the names with stacks in their place.

    Args:
        known: what there is.
        names: stacks (globs too), names of the study's servers, URLs and commands.
        said: how servers of one's own are called.

    Raises:
        BadInput: something is wrong with one, or there is none though options for one are given.
    """
    stacks = list(names)
    own = _of_study(known, stacks, said) if said.study is not None else None
    known = known if own is None else own.known
    servers: dict[str, Server] = {}
    for place, text in enumerate(names):
        if is_given(text):
            name = _name(text, servers)
            servers[name] = server_of(text, said)
            stacks[place] = called(OF_COMMAND_LINE, name, servers[name])
    _refuse(names, servers.values(), said, of_study=own is not None and own.named)
    return added(known, servers, Path.cwd() / "the command line", OF_COMMAND_LINE), stacks


def called(adapter: str, name: str, server: Server) -> str:
    """The stack in which the load driver calls a server."""
    protocol = PROTOCOL if server.request is None else server.request.protocol
    return f"{DRIVER}{protocol}{MIXED}{adapter}/{name}"


@dataclass(frozen=True)
class _OfStudy:
    known: catalogue.Catalogue
    named: bool


def _of_study(known: catalogue.Catalogue, names: list[str], said: Given) -> _OfStudy:
    """Adds a study's servers, puts stacks in the place of their names, and lays the request over those named."""
    study = load(str(said.study))
    servers = dict(study.part.servers)
    found = False
    for name, server in study.part.servers.items():
        stack = called(OF_STUDY, name, server)
        if not any(text == name or mixed.fits(stack, text) for text in names):
            continue
        found = True
        servers[name] = _laid_over(server, said, f"{study.path}: server {name}")
        new = called(OF_STUDY, name, servers[name])
        names[:] = [new if text in (name, stack) else text for text in names]
    return _OfStudy(added(known, servers, study.path), found)


def _laid_over(server: Server, said: Given, who: str) -> Server:
    """A study's server with what the command line says of its request instead of what the study does."""
    if said.pid is not None and server.url is None:
        raise BadInput(f"--pid is for a URL: {who} is started by Callbench, which knows its processes")
    before = {} if server.request is None else server.request.model_dump(exclude_none=True)
    new = _with_path(said)
    # A text is given in one way: the new one replaces the others.
    for text in ("body", "expect_body", "expect_schema"):
        ways = {text, f"{text}_file", f"{text}_hex"}
        if ways & new.keys():
            before = {name: value for name, value in before.items() if name not in ways}
    try:
        request = Request(**{**before, **new})
    except ValidationError as failure:
        raise BadInput(f"{who}: {_sentence(failure)}") from None
    return server.model_copy(update={"request": request, "pid": said.pid or server.pid})


def _refuse(names: Sequence[str], servers: Iterable[Server], said: Given, *, of_study: bool) -> None:
    """Says of options that would mean nothing here why so."""
    mine = list(servers)
    if said.options and not mine and not of_study:
        raise BadInput(
            f"{', '.join(said.options)}: these options are for a server of your own (a URL, a command with {{port}}, a"
            f" server of --study), and {' and '.join(names) or 'none'} is not one: its request is on its card"
        )
    if said.path is not None and not of_study and all(one.url and has_path(one.url) for one in mine):
        raise BadInput(
            f"--path {said.path} is for a command that is started or a URL without a path: {names[0]} has one"
        )
    if said.pid is not None and len(names) > 1:
        raise BadInput(f"--pid {said.pid}: whose process is it? Of several servers, a study's each have their own pid")
    if said.pid is not None and not Path(f"/proc/{said.pid}").is_dir():
        raise BadInput(f"--pid {said.pid}: there is no such process")


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
