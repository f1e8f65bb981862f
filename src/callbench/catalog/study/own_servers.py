"""External servers without a manifest: a study's `[servers]`, and those of the command line, as an adapter."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from callbench.catalog import catalogue, manifest, mixed
from callbench.catalog.external import KEY, OF_COMMAND_LINE, OF_STUDY, PORT, Server, channel_of
from callbench.catalog.study import load
from callbench.model.cell import MIXED, Stack
from callbench.model.errors import BadInput
from callbench.model.request import DRIVER, PROTOCOL, Request
from callbench.store.requested.target import RequestedServer

_LONGEST = 40


def with_servers(
    all_stacks: catalogue.Catalogue, servers: Mapping[str, Server], file: Path, adapter: str = OF_STUDY
) -> catalogue.Catalogue:
    """Return a catalogue with these servers, as the stacks `ADAPTER/NAME`.

    Args:
        all_stacks: the catalogue.
        servers: the servers by name.
        file: the file that names them; their folders are relative to it.
        adapter: the part of their names before the slash.

    Raises:
        BadInput: an adapter with this name exists already.
    """
    if not servers:
        return all_stacks
    for other in all_stacks.adapters:
        if other.name == adapter:
            raise BadInput(f"{file} has servers, and {other.manifest.file} is an adapter called {adapter}: rename it")
    entries = [{"channel": channel_of(server.request), **server.entry(name)} for name, server in servers.items()]
    read = manifest.of({"contract": 1, "name": adapter, "language": "any", "stack": entries}, file.absolute())
    given = catalogue.adapter_of(read)
    # The adapter that starts them has one language; each server has its own.
    stacks = [
        replace(stack, language=server.language or "any")
        for stack, server in zip(given.stacks, servers.values(), strict=True)
    ]
    return replace(all_stacks, adapters=(*all_stacks.adapters, replace(given, stacks=tuple(stacks))))


def with_plan_servers(all_stacks: catalogue.Catalogue, stacks: Iterable[Stack]) -> catalogue.Catalogue:
    """Return a catalogue with the servers of a plan, from their cards, for a resumed run."""
    mine = [stack for stack in stacks if stack.server.startswith(f"{OF_STUDY}/") and KEY in stack.card]
    if not mine:
        return all_stacks
    servers = {}
    for stack in mine:
        server = {
            **stack.card[KEY],
            "request": stack.card["request"],
            "message": stack.message,
            "channel": stack.channel,
            "compiles": stack.card.get("compiles"),
            "language": stack.language,
            "library": stack.library or None,
        }
        servers[stack.server.partition("/")[2]] = Server.model_validate(server)
    return with_servers(all_stacks, servers, Path.cwd() / "plan.json")


def is_server(text: str) -> bool:
    """Return whether a name on the command line is a server: a URL or a command.

    A command contains {port}; a text with spaces is also taken for one.
    """
    return PORT in text or " " in text or is_url(text)


def is_url(text: str) -> bool:
    """Return whether a text is a URL, with any scheme. A command may contain one."""
    return "://" in text.partition(" ")[0]


@dataclass(frozen=True)
class ServerOverrides(RequestedServer):
    """The command line's options for external servers, as a record keeps them."""

    def without(self, member: str, option: str) -> "ServerOverrides":
        """Return a copy without a member of the request that a command also applies to stacks."""
        request = {name: value for name, value in self.request.items() if name != member}
        return replace(self, request=request, options=tuple(kept for kept in self.options if kept != option))


def server_of(text: str, overrides: ServerOverrides) -> Server:
    """Return a server of the command line.

    Args:
        text: a URL, or a command with {port}.
        overrides: how to call it, and what it must answer.

    Raises:
        BadInput: the text or an option is wrong.
    """
    try:
        if is_url(text):
            request = {**overrides.request} if has_path(text) else _with_path(overrides)
            return Server(url=text, pid=overrides.pid, request=Request(**request))
        if overrides.pid is not None:
            raise BadInput(f"--pid is for a URL: `{text}` is started by Callbench, which knows its processes")
        return Server(start=tuple(shlex.split(text)), folder=str(Path.cwd()), request=Request(**_with_path(overrides)))
    except ValidationError as failure:
        raise BadInput(f"{text}: {_sentence(failure)}") from None
    except ValueError as failure:
        raise BadInput(f"{text} is no command: {failure}") from None


def _with_path(overrides: ServerOverrides) -> dict[str, Any]:
    return {**overrides.request, **({} if overrides.path is None else {"path": overrides.path})}


def _sentence(failure: ValidationError) -> str:
    first = failure.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    return f"{first['loc'][0]}: {message}" if first["loc"] and first["type"] != "value_error" else message


def has_path(url: str) -> bool:
    """Return whether a URL has a path or a query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return True  # its mistakes are reported where it is parsed
    return parts.path not in ("", "/") or bool(parts.query)


def with_named_servers(
    all_stacks: catalogue.Catalogue, names: Sequence[str], overrides: ServerOverrides
) -> tuple[catalogue.Catalogue, list[str]]:
    """Return a catalogue with the servers among these names, and the names with stacks instead of servers.

    Args:
        all_stacks: the catalogue.
        names: stacks (globs too), names of the study's servers, URLs and commands.
        overrides: how to call external servers.

    Raises:
        BadInput: a server is wrong, or options are given without a server.
    """
    stacks = list(names)
    own = _of_study(all_stacks, stacks, overrides) if overrides.study is not None else None
    all_stacks = all_stacks if own is None else own.all_stacks
    servers: dict[str, Server] = {}
    for place, text in enumerate(names):
        if is_server(text):
            name = _name(text, servers)
            servers[name] = server_of(text, overrides)
            stacks[place] = load_driver_stack(OF_COMMAND_LINE, name, servers[name])
    _refuse_options(names, servers.values(), overrides, of_study=own is not None and own.with_named_servers)
    return with_servers(all_stacks, servers, Path.cwd() / "the command line", OF_COMMAND_LINE), stacks


def load_driver_stack(adapter: str, name: str, server: Server) -> str:
    """Return the stack in which the load driver calls a server."""
    protocol = PROTOCOL if server.request is None else server.request.protocol
    return f"{DRIVER}{protocol}{MIXED}{adapter}/{name}"


@dataclass(frozen=True)
class _OfStudy:
    all_stacks: catalogue.Catalogue
    with_named_servers: bool


def _of_study(all_stacks: catalogue.Catalogue, names: list[str], overrides: ServerOverrides) -> _OfStudy:
    """Add a study's servers, replace their names by stacks, and override the requests of the named ones."""
    study = load(str(overrides.study))
    servers = dict(study.part.servers)
    has_servers = False
    for name, server in study.part.servers.items():
        stack = load_driver_stack(OF_STUDY, name, server)
        if not any(text == name or mixed.fits(stack, text) for text in names):
            continue
        has_servers = True
        servers[name] = _with_overrides(server, overrides, f"{study.path}: server {name}")
        new = load_driver_stack(OF_STUDY, name, servers[name])
        names[:] = [new if text in (name, stack) else text for text in names]
    return _OfStudy(with_servers(all_stacks, servers, study.path), has_servers)


def _with_overrides(server: Server, overrides: ServerOverrides, who: str) -> Server:
    """Return a study's server with the request members of the command line."""
    if overrides.pid is not None and server.url is None:
        raise BadInput(f"--pid is for a URL: {who} is started by Callbench, which knows its processes")
    before = {} if server.request is None else server.request.model_dump(exclude_none=True)
    new = _with_path(overrides)
    # A text is given in one way only, so the new one replaces the others.
    for text in ("body", "expect_body", "expect_schema"):
        ways = {text, f"{text}_file", f"{text}_hex"}
        if ways & new.keys():
            before = {name: value for name, value in before.items() if name not in ways}
    of_request = {"path", "method", "body", "body_file", "body_hex"}
    gone = of_request if "script" in new else {"script"} if of_request & new.keys() else set()
    before = {name: value for name, value in before.items() if name not in gone}
    try:
        request = Request(**{**before, **new})
    except ValidationError as failure:
        raise BadInput(f"{who}: {_sentence(failure)}") from None
    return server.model_copy(update={"request": request, "pid": overrides.pid or server.pid})


def _refuse_options(
    names: Sequence[str], servers: Iterable[Server], overrides: ServerOverrides, *, of_study: bool
) -> None:
    """Explain options that have no effect here, as an error."""
    mine = list(servers)
    if overrides.options and not mine and not of_study:
        raise BadInput(
            f"{', '.join(overrides.options)}: these options are for a server of your own (a URL, a command with"
            f" {{port}}, a server of --study), and {' and '.join(names) or 'none'} is not one:"
            " its request is on its card"
        )
    if overrides.path is not None and not of_study and all(server.url and has_path(server.url) for server in mine):
        raise BadInput(
            f"--path {overrides.path} is for a command that is started or a URL without a path: {names[0]} has one"
        )
    if overrides.pid is not None and len(names) > 1:
        raise BadInput(
            f"--pid {overrides.pid}: whose process is it? Of several servers, a study's each have their own pid"
        )
    if overrides.pid is not None and not Path(f"/proc/{overrides.pid}").is_dir():
        raise BadInput(f"--pid {overrides.pid}: there is no such process")


def _name(text: str, taken: Mapping[str, Server]) -> str:
    """Return a unique and readable name for the server."""
    bare = text.replace(PORT, "").partition("://")[2] or " ".join(
        Path(word).name for word in text.replace(PORT, "").split()
    )
    short = re.sub(r"[^A-Za-z0-9._+]+", "-", bare).strip("-._+")[:_LONGEST] or "server"
    number = 1
    while (name := short if number == 1 else f"{short}-{number}") in taken:
        number += 1
    return name
