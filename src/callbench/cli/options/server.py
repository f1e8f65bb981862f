"""How a server of one's own is named and called on the command line: the same options in every command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from callbench.cli.options import names
from callbench.cli.options.expected import expected_json
from callbench.cli.options.grouped import typed
from callbench.cli.options.request_sources import Sources
from callbench.model.errors import BadInput
from callbench.model.secrets import SECRETS

if TYPE_CHECKING:
    from callbench.catalog.study.own_servers import ServerOverrides

# What names a server if one is asked for.
SERVER = "STACK|NAME|URL|'COMMAND {port}'"
_SERVERS = "a stack, a server of --study, a URL, or a command that starts a server at {port}"
_HEX = "two hexadecimal digits for each"

ServerArgument = Annotated[
    str,
    typer.Argument(
        metavar=SERVER, autocompletion=names.stacks, help=f"Server to test: {_SERVERS}.", show_default=False
    ),
]


@dataclass(frozen=True)
class ServerOptions:
    """The options. What is left out is as the server's card, its study or the load driver has it.

    Attributes:
        TITLE: of their section in the help of a command.
    """

    TITLE: ClassVar[str] = "Server and request"

    start: Annotated[
        list[str] | None,
        typer.Option("--start", metavar="COMMAND", help="Command that starts the server; {port} stands for its port."),
    ] = None
    study: Annotated[
        str | None,
        typer.Option(
            "--study",
            metavar="STUDY",
            help="Study whose [servers] can be named; compare also takes its calls. Default: none.",
        ),
    ] = None
    path: Annotated[
        str | None,
        typer.Option("--path", metavar="/PATH", help="Path of the request. For a URL only where it has none."),
    ] = None
    method: Annotated[str | None, typer.Option("--method", help="HTTP method. Default: GET, or POST with a body.")] = (
        None
    )
    header: Annotated[
        list[str] | None,
        typer.Option("--header", "-H", metavar="'NAME: VALUE'", help="Header of the request. Can be repeated."),
    ] = None
    body: Annotated[
        list[str] | None,
        typer.Option(
            "--body",
            metavar="TEXT|FILE|FOLDER",
            help=(
                "Body of the request. Several, a folder or a .jsonl file are used in rotation."
                " {number}, {client} and {random} are replaced in each call."
            ),
        ),
    ] = None
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Access log (common, combined, JSON lines): its endpoints, in its proportions. Default: none.",
        ),
    ] = None
    requests: Annotated[
        Path | None,
        typer.Option("--requests", metavar="FILE", help="TOML file with endpoints and sessions. Default: none."),
    ] = None
    body_file: Annotated[
        Path | None, typer.Option("--body-file", exists=True, dir_okay=False, help="File with the body of the request.")
    ] = None
    body_hex: Annotated[str | None, typer.Option("--body-hex", help=f"Body of the request as bytes, {_HEX}.")] = None
    plain: Annotated[bool, typer.Option("--no-variables", help="Send {number}, {client} and {random} unchanged.")] = (
        False
    )
    status: Annotated[
        list[int] | None,
        typer.Option("--expect-status", help="Status of a correct answer. Can be repeated. Default: 200 to 299."),
    ] = None
    expect: Annotated[
        str | None, typer.Option("--expect-body", help="Whole body of every correct answer. Default: any body.")
    ] = None
    expect_file: Annotated[
        Path | None,
        typer.Option(
            "--expect-body-file", exists=True, dir_okay=False, help="File with the whole body of every correct answer."
        ),
    ] = None
    expect_hex: Annotated[
        str | None, typer.Option("--expect-body-hex", help=f"Whole body of every correct answer as bytes, {_HEX}.")
    ] = None
    expect_json: Annotated[
        list[str] | None,
        typer.Option(
            "--expect-json",
            metavar="PATH[=VALUE]",
            help="JSON path found in every correct answer, and its value: '$.user.name=x'. Can be repeated.",
        ),
    ] = None
    expect_match: Annotated[
        str | None,
        typer.Option("--expect-match", metavar="REGEX", help="Regular expression found in every correct answer."),
    ] = None
    schema: Annotated[
        Path | None,
        typer.Option(
            "--expect-schema-file",
            exists=True,
            dir_okay=False,
            help="File with a JSON Schema that every correct answer satisfies.",
        ),
    ] = None
    close: Annotated[bool, typer.Option("--no-keep-alive", help="Open a new connection for each call.")] = False
    http2: Annotated[
        bool, typer.Option("--http2", help="Use HTTP/2: agreed on in TLS for https, at once for http.")
    ] = False
    grpc: Annotated[
        bool, typer.Option("--grpc", help="Make unary calls of gRPC. The URL's path is /package.Service/Method.")
    ] = False
    streams: Annotated[
        int | None,
        typer.Option("--streams", min=1, help="Clients that share a connection, with --http2 or --grpc. Default: 1."),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            min=0.001,
            max=3600,
            metavar="SECONDS",
            help="Seconds after which a call without an answer fails. Default: 10; 2 in torture.",
        ),
    ] = None
    certificates: Annotated[
        Path | None,
        typer.Option(
            "--certificates",
            exists=True,
            dir_okay=False,
            help="File with the certificates to trust, and those that they signed. Default: the system's.",
        ),
    ] = None
    insecure: Annotated[bool, typer.Option("--insecure", help="Accept any TLS certificate.")] = False
    keep_secrets: Annotated[
        bool,
        typer.Option(
            "--keep-secrets",
            help="Keep secrets of headers, cookies, queries and bodies in records. Default: masked.",
        ),
    ] = False
    max_head: Annotated[
        int | None,
        typer.Option("--max-head-bytes", min=1, help="Longest head or trailer of a correct answer. Default: 1 MiB."),
    ] = None
    max_body: Annotated[
        int | None,
        typer.Option("--max-body-bytes", min=1, help="Longest body of a correct answer. Default: 1 GiB."),
    ] = None
    pid: Annotated[
        int | None,
        typer.Option("--pid", min=1, help="Process of the server behind a URL. Default: found by the port."),
    ] = None

    def one(self, argument: str) -> str:
        """The one server that is meant.

        Raises:
            BadInput: there is none, or more than one.
        """
        every = self.every([argument] if argument else [])
        if len(every) == 1:
            return every[0]
        raise BadInput(f"name one server: {_SERVERS}, as the argument or with --start")

    def every(self, arguments: Sequence[str]) -> list[str]:
        """The servers that are meant: the arguments, then what is to be started.

        Raises:
            BadInput: a command has no {port}.
        """
        for command in self.start or ():
            if "{port}" not in command:
                raise BadInput(f"--start {command} has no {{port}}, which stands for the port that the server is given")
        return [*arguments, *(self.start or ())]

    def given(self) -> "ServerOverrides":
        """How they are called.

        Raises:
            BadInput: options that make no sense together.
        """
        from callbench.catalog.study.own_servers import ServerOverrides

        own = tuple(name for name in typed(self) if name not in ("--start", "--study", "--keep-secrets"))
        SECRETS.keep = self.keep_secrets
        request, notes = self._request()
        return ServerOverrides(self.study, self.path, request, self.pid, own, notes)

    def _request(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        expected: dict[str, object] = {
            "headers": _headers(self.header or ()) or None,
            "variables": False if self.plain else None,
            "expect_status": self.status or None,
            "expect_body": self.expect,
            "expect_body_file": _absolute(self.expect_file),
            "expect_body_hex": self.expect_hex,
            "expect_match": self.expect_match,
            "expect_schema_file": _absolute(self.schema),
            **expected_json(self.expect_json or ()),
        }
        sent, notes = self._sent({name: value for name, value in expected.items() if value not in (None, [])})
        connection: dict[str, object] = {
            "protocol": self._protocol(),
            "keep_alive": False if self.close else None,
            "streams": self.streams,
            "timeout_s": self.timeout,
            "certificates": _absolute(self.certificates),
            "insecure": self.insecure or None,
            "max_head_bytes": self.max_head,
            "max_body_bytes": self.max_body,
        }
        return {name: value for name, value in {**sent, **connection}.items() if value not in (None, [])}, notes

    def _sent(self, expected: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What is sent, and what of a log is not in it."""
        sources = Sources(self.body or (), self.log, self.requests)
        by_option = {
            "--path": self.path,
            "--method": self.method,
            "--body-file": _absolute(self.body_file),
            "--body-hex": self.body_hex,
        }
        sources.refuse({name for name, value in by_option.items() if value is not None})
        if sources.none:
            return {
                "method": by_option["--method"],
                "body_file": by_option["--body-file"],
                "body_hex": self.body_hex,
                **expected,
            }, ()
        return sources.sent(self.method, expected)

    def _protocol(self) -> str | None:
        if self.http2 and self.grpc:
            raise BadInput("--http2 and --grpc exclude each other: gRPC is spoken over HTTP/2 in any case")
        return "grpc" if self.grpc else "h2" if self.http2 else None


def _headers(given: Sequence[str]) -> list[tuple[str, str]]:
    """Reads `Name: value` each."""
    parts = [header.partition(":") for header in given]
    wrong = next((header for header, part in zip(given, parts, strict=True) if not part[1]), None)
    if wrong is not None:
        raise BadInput(f"--header {wrong!r}: give a name and a value, as 'Accept: text/plain'")
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())
