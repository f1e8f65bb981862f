"""`callbench compare`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import names
from callbench.cli.options.grouped import grouped
from callbench.cli.options.parameters import AsJson, Undecided
from callbench.cli.options.server import ServerOptions
from callbench.cli.outcome.output import known_stacks
from callbench.model.errors import BadInput


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            autocompletion=names.stacks,
            show_default=False,
            help="Baseline: a stack, STACK@BUILD, an adapter's folder, a server, or a run.",
        ),
    ] = "",
    b: Annotated[
        str,
        typer.Argument(
            metavar="B",
            autocompletion=names.stacks,
            show_default=False,
            help="Candidate, of the same kind: compared with A.",
        ),
    ] = "",
    calls: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="CALL[:NAME=VALUE,...]",
            help="Call to measure. Can be repeated. Default: Sum, and GetPersons with 250 records.",
        ),
    ] = None,
    groups: Annotated[
        list[str] | None, typer.Option("--group", help="Group of --study to measure. Can be repeated. Default: all.")
    ] = None,
    clients: Annotated[
        list[int] | None,
        typer.Option(
            "--clients", min=1, max=10_000, help="Number of clients. Can be repeated. Default: 1, or the study's."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="Seconds of calls per cell, for both sides together.")
    ] = 5.0,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            min=2,
            max=1000,
            help="Number of forks (fresh starts of both). Default: 10 to 50, by their cost.",
        ),
    ] = None,
    hold_idle: Annotated[
        bool | None,
        typer.Option(
            "--hold-idle/--no-hold-idle",
            help="Keep processors out of deep idle states. Needs root. Default: where possible.",
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option("--threshold", metavar="2%", help="Largest decrease of B's rate that passes. Default: 2%."),
    ] = None,
    p99_threshold: Annotated[
        str | None,
        typer.Option(
            "--p99-threshold", metavar="10%|none", help="Largest increase of B's p99 that passes. Default: 10%."
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option("--level", metavar="1%", help="Probability that any verdict is wrong. Default: 1%."),
    ] = None,
    undecided: Undecided = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of the random order. Default: a new one.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for the comparison. Default: runs/compare-TIME."),
    ] = None,
    as_json: AsJson = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the result as Markdown, for example for a pull request.")
    ] = False,
) -> None:
    """Compare two stacks, two builds or two stored runs.

    A comparison's folder alone prints it again. Exit codes: 0 passed, 1 B is worse than allowed, 3 undecided.
    """
    from callbench.analysis.compare import verdicts
    from callbench.cli.outcome import exit_code
    from callbench.cli.recorded.command import Ending
    from callbench.cli.recorded.compare import CompareCommand, Form
    from callbench.runner.compare import command as comparing
    from callbench.runner.compare.execution import ComparisonRequest

    exit_code.checked(undecided)
    operands = server.every([operand for operand in (a, b) if operand])
    if not 1 <= len(operands) <= 2:
        raise BadInput("compare two: as A and B, or with --start; or show one comparison's folder")
    a, b = (*operands, "")[:2]
    limits = comparing.given(level, threshold, p99_threshold)
    strict = limits.over(verdicts.Rule())
    request = ComparisonRequest(
        a=a,
        b=b,
        calls=calls or [],
        study=server.study,
        groups=groups or [],
        clients=clients or [],
        seconds=seconds,
        rounds=rounds,
        hold_idle=hold_idle,
        level=strict.level,
        threshold=strict.threshold,
        p99_threshold=strict.p99_threshold,
        seed=seed,
        server=server.given(),
    )
    ending = Ending(out, undecided=undecided, as_json=as_json)
    form: Form = "markdown" if markdown else "answer" if b else "whole"
    comparison = CompareCommand(request, limits, known_stacks(), ending, form=form)
    result = comparing.read_stored(a, b or None, limits)
    if result is None:
        comparison.go()
    else:
        comparison.tell(result)
