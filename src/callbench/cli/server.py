"""How a server of one's own is named and called on the command line: the same options in every command."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from callbench.catalog.study.given import Given
from callbench.cli.expected import expected_json
from callbench.cli.options import typed
from callbench.model.errors import BadInput

# What names a server where one is asked for.
SERVER = "STACK|NAME|URL|'COMMAND {port}'"
SERVER_HELP = "a stack, a server of --study, a URL, or a command that starts a server at {port}"
_HEX = "bytes, two hexadecimal digits each"


@dataclass(frozen=True)
class ServerOptions:
    """The options. What is left out is as the server's card, its study or the load driver has it."""

    start: Annotated[
        list[str] | None, typer.Option("--start", metavar="COMMAND", help="start the server: 'COMMAND {port}'")
    ] = None
    study: Annotated[
        str | None, typer.Option("--study", metavar="STUDY", help="a study, whose [servers] can be named")
    ] = None
    path: Annotated[
        str | None, typer.Option("--path", metavar="/PATH", help="behind host and port, where the URL has none")
    ] = None
    method: Annotated[str | None, typer.Option("--method", help="GET unless given; POST with a body")] = None
    header: Annotated[list[str] | None, typer.Option("--header", "-H", metavar="'NAME: VALUE'")] = None
    body: Annotated[str | None, typer.Option("--body", help="with {number}, {client}, {random}")] = None
    body_file: Annotated[Path | None, typer.Option("--body-file", exists=True, dir_okay=False)] = None
    body_hex: Annotated[str | None, typer.Option("--body-hex", help=_HEX)] = None
    plain: Annotated[bool, typer.Option("--no-variables", help="send {number} and its like as they are")] = False
    status: Annotated[list[int] | None, typer.Option("--expect-status", help="200 to 299 unless given")] = None
    expect: Annotated[
        str | None, typer.Option("--expect-body", help="the whole body of every answer; any unless given")
    ] = None
    expect_file: Annotated[Path | None, typer.Option("--expect-body-file", exists=True, dir_okay=False)] = None
    expect_hex: Annotated[str | None, typer.Option("--expect-body-hex", help=_HEX)] = None
    expect_json: Annotated[
        list[str] | None, typer.Option("--expect-json", metavar="PATH[=VALUE]", help="in every body: '$.user.name=x'")
    ] = None
    expect_match: Annotated[str | None, typer.Option("--expect-match", metavar="REGEX", help="in every body")] = None
    schema: Annotated[
        Path | None,
        typer.Option("--expect-schema-file", exists=True, dir_okay=False, help="a JSON Schema of every body"),
    ] = None
    close: Annotated[bool, typer.Option("--no-keep-alive", help="a connection for each call")] = False
    http2: Annotated[bool, typer.Option("--http2", help="HTTP/2: with prior knowledge, or agreed on in TLS")] = False
    grpc: Annotated[bool, typer.Option("--grpc", help="unary calls; the URL's path is /package.Service/Method")] = False
    streams: Annotated[int | None, typer.Option("--streams", min=1, help="clients that share a connection; 1")] = None
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.001, max=3600, metavar="SECONDS", help="of a call; 10")
    ] = None
    certificates: Annotated[
        Path | None, typer.Option("--certificates", exists=True, dir_okay=False, help="who may sign the server's")
    ] = None
    insecure: Annotated[bool, typer.Option("--insecure", help="take any certificate")] = False
    pid: Annotated[
        int | None, typer.Option("--pid", min=1, help="of a URL: the server's process, where its port does not tell")
    ] = None

    def one(self, argument: str) -> str:
        """The one server that is meant.

        Raises:
            BadInput: there is none, or more than one.
        """
        every = self.every([argument] if argument else [])
        if len(every) == 1:
            return every[0]
        raise BadInput(f"name one server: {SERVER_HELP}, as the argument or with --start")

    def every(self, arguments: Sequence[str]) -> list[str]:
        """The servers that are meant: the arguments, then what is to be started.

        Raises:
            BadInput: a command has no {port}.
        """
        for command in self.start or ():
            if "{port}" not in command:
                raise BadInput(f"--start {command} has no {{port}}, which stands for the port that the server is given")
        return [*arguments, *(self.start or ())]

    def given(self) -> Given:
        """How they are called.

        Raises:
            BadInput: options that make no sense together.
        """
        own = tuple(name for name in typed(self) if name not in ("--start", "--study"))
        return Given(self.study, self.path, self._request(), self.pid, own)

    def _request(self) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "protocol": self._protocol(),
            "method": self.method,
            "headers": _headers(self.header or ()) or None,
            "body": self.body,
            "body_file": _absolute(self.body_file),
            "body_hex": self.body_hex,
            "variables": False if self.plain else None,
            "expect_status": self.status or None,
            "expect_body": self.expect,
            "expect_body_file": _absolute(self.expect_file),
            "expect_body_hex": self.expect_hex,
            "expect_match": self.expect_match,
            "expect_schema_file": _absolute(self.schema),
            **expected_json(self.expect_json or ()),
            "keep_alive": False if self.close else None,
            "streams": self.streams,
            "timeout_s": self.timeout,
            "certificates": _absolute(self.certificates),
            "insecure": self.insecure or None,
        }
        return {name: value for name, value in asked.items() if value not in (None, [])}

    def _protocol(self) -> str | None:
        if self.http2 and self.grpc:
            raise BadInput("--http2 and --grpc exclude each other: gRPC is spoken over HTTP/2 in any case")
        return "grpc" if self.grpc else "h2" if self.http2 else None


def _headers(given: Sequence[str]) -> list[tuple[str, str]]:
    """Reads `Name: value` each."""
    parts = [one.partition(":") for one in given]
    wrong = next((one for one, part in zip(given, parts, strict=True) if not part[1]), None)
    if wrong is not None:
        raise BadInput(f"--header {wrong!r}: give a name and a value, as 'Accept: text/plain'")
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())
