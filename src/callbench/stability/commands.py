"""The command line of stability: arguments to calls. No logic."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from callbench import catalogue, placement, quantities
from callbench.errors import BadInput

if TYPE_CHECKING:
    from callbench.stability.target import Aim

What = Annotated[str, typer.Argument(metavar="STACK|URL", help="a stack, or a server of your own by its URL")]
Call = Annotated[str | None, typer.Option("--call", metavar="CALL[:NAME=VALUE,...]", help="Hello unless given")]
Pid = Annotated[int | None, typer.Option("--pid", min=1, help="of a URL: the server's process, to watch it")]
Timeout = Annotated[float, typer.Option("--timeout", min=0.05, max=3600, metavar="SECONDS", help="of a call")]
Status = Annotated[list[int] | None, typer.Option("--expect-status", help="of a URL: 200 to 299 unless given")]
Body = Annotated[str | None, typer.Option("--expect-body", help="of a URL: octet by octet, in every answer")]
AnyHost = Annotated[bool, typer.Option("--any-host", help="allow a URL that is not this machine: it must be yours")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="the record's folder; runs/KIND-TIME")]
AsJson = Annotated[bool, typer.Option("--json", help="for programs")]


def add_to(app: typer.Typer) -> None:
    """Gives the program its commands of stability."""
    app.command("soak")(soak)


def soak(  # noqa: PLR0913, PLR0917 - the options a person has
    what: What,
    clients: Annotated[str, typer.Option("--clients", metavar="N,N,...", help="the steps")] = "1,10,50",
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=1e7, help="of each step")] = 60.0,
    rest: Annotated[float, typer.Option("--rest", min=0, max=1e6, metavar="SECONDS", help="after each step")] = 10.0,
    every: Annotated[float, typer.Option("--every", min=0.05, max=600, metavar="SECONDS", help="of a slice")] = 1.0,
    restart: Annotated[bool, typer.Option("--restart", help="start a server that dies again, and go on")] = False,
    call: Call = None,
    timeout: Timeout = 10.0,
    pid: Pid = None,
    status: Status = None,
    body: Body = None,
    any_host: AnyHost = False,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the soak of --out")] = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Let clients call for long, step by step, and watch the server's health second by second."""
    from callbench.stability import soaking  # noqa: PLC0415 - statistics are slow to load
    from callbench.stability.soak import Wish  # noqa: PLC0415

    aim = _aim(what, call, timeout, pid, status, body, any_host=any_host)
    wish = Wish(_steps(clients), seconds, rest, min(every, seconds), restart)
    told = soaking.soaked(aim, wish, catalogue.load(), placement.placed(), out, resume=resume, quiet=as_json)
    _end(told, as_json=as_json)


def _aim(  # noqa: PLR0913, PLR0917 - the options that the commands share
    what: str,
    call: str | None,
    timeout: float,
    pid: int | None,
    status: list[int] | None,
    body: str | None,
    *,
    any_host: bool,
) -> "Aim":
    from callbench.compare import tasks  # noqa: PLC0415 - statistics are slow to load
    from callbench.stability.target import HELLO, Aim  # noqa: PLC0415

    asked = tasks.of_calls([call or HELLO], (1,), 1.0)[0]
    request: dict[str, Any] = {}
    if status:
        request["expect_status"] = status
    if body is not None:
        request["expect_body"] = body
    if request and "://" not in what:
        raise BadInput("--expect-status and --expect-body are of a URL: what a stack answers is known")
    return Aim(what, asked.call, asked.arguments, timeout, pid, request, any_host)


def _steps(text: str) -> tuple[int, ...]:
    return quantities.numbers(text, "--clients", 1, 65_536)


def _end(told: Any, *, as_json: bool) -> None:  # noqa: ANN401 - a Told, whose module is slow to load
    from callbench.stability import told as shown  # noqa: PLC0415 - statistics are slow to load

    page = shown.write(told)
    if as_json:
        print(shown.as_json(told), end="")  # noqa: T201
        return
    shown.show(told, Console() if Console().is_terminal else Console(width=200))
    print(f"page: {page}\nrecord: {told.run.path}")  # noqa: T201
