"""The command line of `callbench compare`: arguments to calls. No logic."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import grouped
from callbench.cli.output import AsJson, Undecided, console, known_stacks, print_json
from callbench.cli.server import ServerOptions
from callbench.model.errors import BadInput


@grouped
def compare(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", show_default=False, help="a stack, STACK@BUILD, an adapter's folder, a server, or a run"
        ),
    ] = "",
    b: Annotated[str, typer.Argument(metavar="B", show_default=False, help="what is compared with it")] = "",
    calls: Annotated[list[str] | None, typer.Option("--call", metavar="CALL[:NAME=VALUE,...]")] = None,
    groups: Annotated[list[str] | None, typer.Option("--group", help="only these groups of --study")] = None,
    clients: Annotated[list[int] | None, typer.Option("--clients", min=1, max=10_000)] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="of calls a cell, both sides together")] = 5.0,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", min=2, max=1000, help="how often both start afresh; default 10 to 50, by cost"),
    ] = None,
    hold_idle: Annotated[
        bool | None,
        typer.Option(
            "--hold-idle/--no-hold-idle",
            help="keep the processors from idling deeply meanwhile (root); default: where that can be",
        ),
    ] = None,
    threshold: Annotated[
        str | None, typer.Option("--threshold", help="by how much B's rate may be lower; default 2%")
    ] = None,
    p99_threshold: Annotated[
        str | None, typer.Option("--p99-threshold", help="by how much B's p99 may be higher, or none; default 10%")
    ] = None,
    level: Annotated[str | None, typer.Option("--level", help="chance that any verdict is wrong; default 1%")] = None,
    undecided: Undecided = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="of the random order")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="the comparison's folder")] = None,
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="for a pull request")] = False,
) -> None:
    """Compare two stacks, two builds or two runs. Exit code: 0 passed, 1 B is worse than allowed, 3 undecided."""
    from callbench.analysis.compare import verdicts  # noqa: PLC0415
    from callbench.cli import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.report.compare import show  # noqa: PLC0415
    from callbench.runner.compare import command, live  # noqa: PLC0415

    exit_code.checked(undecided)
    operands = server.every([operand for operand in (a, b) if operand])
    if not 1 <= len(operands) <= 2:
        raise BadInput("compare two: as A and B, or with --start; or show one comparison's folder")
    a, b = (*operands, "")[:2]
    limits = command.given(level, threshold, p99_threshold)
    strict = limits.over(verdicts.Rule())
    wish = live.Wish(
        a, b, calls or [], server.study, groups or [], clients or [], seconds, rounds, hold_idle,
        strict.level, strict.threshold, strict.p99_threshold, seed, out,
        server.given(),
    )  # fmt: skip
    found = command.found(a, b or None, wish, limits, known_stacks())
    if as_json:
        print_json(show.record(found))
    elif markdown:
        print(show.markdown(found), end="")  # noqa: T201
    else:
        show.print_comparison(found, console())
    exit_code.end(found.outcome, undecided)
