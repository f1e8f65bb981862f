"""The command line of stability: arguments to calls. No logic."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.cli.options import StabilityOptions, grouped
from callbench.cli.server import SERVER, SERVER_HELP, ServerOptions
from callbench.model import quantities
from callbench.model.errors import BadInput

if TYPE_CHECKING:
    from callbench.adapter.stack.target import Aim

What = Annotated[str, typer.Argument(metavar=SERVER, help=SERVER_HELP, show_default=False)]

# Of a call. In a torture, so long without an answer is a verdict.
_TIMEOUT_S, _TORTURE_TIMEOUT_S = 10.0, 2.0


def add_to(app: typer.Typer) -> None:
    """Gives the program its commands of stability."""
    app.command("soak")(soak)
    app.command("overload")(overload)
    app.command("torture")(torture)


@grouped
def soak(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: What = "",
    clients: Annotated[str, typer.Option("--clients", metavar="N,N,...", help="the steps")] = "1,10,50",
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=1e7, help="of each step")] = 60.0,
    rest: Annotated[float, typer.Option("--rest", min=0, max=1e6, metavar="SECONDS", help="after each step")] = 10.0,
    every: Annotated[
        float | None,
        typer.Option("--every", min=0.05, max=600, metavar="SECONDS", help="of a slice; 1, or less in a short step"),
    ] = None,
    think: Annotated[float, typer.Option("--think", min=0, max=1e6, metavar="MS", help="between two calls")] = 0.0,
    restart: Annotated[bool, typer.Option("--restart", help="start a server that dies again, and go on")] = False,
    *,
    shared: StabilityOptions,
) -> None:
    """Let clients call for long, step by step, and watch the server's health second by second."""
    from callbench.cli import stability_soaking as soaking  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.stability.soak import Wish, slice_s  # noqa: PLC0415

    kinds = _kinds("soak", shared)
    aim = _aim(server, shared, what)
    wish = Wish(_steps(clients), seconds, rest, slice_s(seconds, every), restart, think)
    told = soaking.soaked(
        aim, wish, catalogue.load(), placement.placed(), shared.out, resume=shared.resume, quiet=shared.as_json
    )
    _end(told, kinds, shared)


@grouped
def overload(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: What = "",
    objective: Annotated[
        str, typer.Option("--objective", metavar='"p99 under 50 ms"', help="the capacity is what meets it")
    ] = "p99 under 50 ms",
    times: Annotated[
        str, typer.Option("--times", metavar="N,N,...", help="the capacity, one after the other")
    ] = "2,10",
    clients: Annotated[int, typer.Option("--clients", min=1, max=65_536, help="most calls under way at once")] = 200,
    seconds: Annotated[float, typer.Option("--seconds", min=0.5, max=1e5, help="of each overload")] = 10.0,
    patience: Annotated[
        float, typer.Option("--patience", min=0, max=1e5, metavar="SECONDS", help="for it to be well again")
    ] = 60.0,
    within: Annotated[float, typer.Option("--within", min=1.01, max=1e6, help="times as slow as before is slow")] = 2.0,
    rest: Annotated[float, typer.Option("--rest", min=0, max=1e6, metavar="SECONDS", help="in the end")] = 10.0,
    rate: Annotated[
        float | None, typer.Option("--capacity", min=0.1, max=1e7, help="calls/s, where it is known")
    ] = None,
    *,
    shared: StabilityOptions,
) -> None:
    """Find what a server holds, ask twice and ten times as much of it, and see when it is well again."""
    from callbench.cli import stability_overloading as overloading  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.stability.overload import Wish  # noqa: PLC0415

    kinds = _kinds("overload", shared)
    aim = _aim(server, shared, what)
    factors = tuple(float(value) for value in quantities.numbers(times, "--times", 1, 1000))
    if len(set(factors)) < len(factors):
        raise BadInput(f"--times {times}: each only once, since what comes after is told by it")
    wish = Wish(objective, factors, clients, seconds, patience, within, rest, rate)
    told = overloading.overloaded(
        aim, wish, catalogue.load(), placement.placed(), shared.out, resume=shared.resume, quiet=shared.as_json
    )
    _end(told, kinds, shared)


@grouped
def torture(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: What = "",
    test: Annotated[str, typer.Option("--test", metavar="NAME,NAME,...", help="all unless given")] = "",
    connections: Annotated[int, typer.Option("--connections", min=1, max=60_000, help="bad ones at once")] = 1000,
    pace: Annotated[float, typer.Option("--pace", min=0.1, max=1e6, help="new bad ones a second at most")] = 2000.0,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=3600, help="of each test")] = 10.0,
    patience: Annotated[
        float, typer.Option("--patience", min=0, max=3600, metavar="SECONDS", help="for it to be well again")
    ] = 30.0,
    within: Annotated[float, typer.Option("--within", min=1.01, max=1e6, help="times as slow as before is slow")] = 3.0,
    *,
    shared: StabilityOptions,
) -> None:
    """Misbehave before a server as clients do, and see what those who call normally meet: a verdict a test."""
    from callbench.cli import stability_torturing as torturing  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.stability.torture import Wish  # noqa: PLC0415

    kinds = _kinds("torture", shared)
    aim = _aim(server, shared, what, _TORTURE_TIMEOUT_S)
    names = tuple(name.strip() for name in test.split(",") if name.strip())
    wish = Wish(names, connections, pace, seconds, patience, within)
    told = torturing.tortured(
        aim, wish, catalogue.load(), placement.placed(), shared.out, resume=shared.resume, quiet=shared.as_json
    )
    _end(told, kinds, shared)


def _aim(server: ServerOptions, shared: StabilityOptions, what: str, timeout_s: float = _TIMEOUT_S) -> "Aim":
    from callbench.adapter.stack.target import Aim  # noqa: PLC0415
    from callbench.runner.compare import tasks  # noqa: PLC0415 - statistics are slow to load

    asked = None if shared.call is None else tasks.of_calls([shared.call], (1,), 1.0)[0]
    return Aim(
        server.one(what),
        "" if asked is None else asked.call,
        {} if asked is None else asked.arguments,
        timeout_s if server.timeout is None else server.timeout,
        server.given().without("timeout_s", "--timeout"),
        shared.any_host,
        shared.link,
    )


def _steps(text: str) -> tuple[int, ...]:
    return quantities.numbers(text, "--clients", 1, 65_536)


def _kinds(command: str, shared: StabilityOptions) -> tuple[str, ...]:
    """Read what fails it, before anything is begun."""
    from callbench.cli import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.stability import findings  # noqa: PLC0415

    exit_code.checked(shared.undecided)
    return findings.chosen(command, shared.fail_on)


def _end(told: Any, kinds: tuple[str, ...], shared: StabilityOptions) -> None:  # noqa: ANN401 - a Told, whose module is slow to load
    from callbench.cli import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.report.stability import told as shown  # noqa: PLC0415
    from callbench.runner.stability import findings  # noqa: PLC0415

    page = shown.write(told)
    if shared.as_json:
        print(shown.as_json(told), end="")  # noqa: T201
    else:
        shown.show(told, Console() if Console().is_terminal else Console(width=200))
        print(f"page: {page}\nrecord: {told.run.path}")  # noqa: T201
    exit_code.end(findings.outcome(told.findings, kinds), shared.undecided)
