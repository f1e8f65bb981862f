"""Options and arguments that several commands have, each with the same help."""

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
StoredResult = Annotated[
    Path, typer.Argument(metavar="RUN", help="Folder of a stored result, or the file of a load test.")
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="[KEY=]GLOB",
        help=(
            "Measure only matching cells. KEY: stack (default), message, channel, message+channel, call, group,"
            " clients, arrivals, rate, link. Can be repeated."
        ),
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Value of a parameter of the study. Can be repeated."),
]
Languages = Annotated[
    str | None,
    typer.Option(
        "--languages",
        metavar="LANGUAGE,...",
        help="Languages besides Rust for a service of your own, such as go,java; or all. Default: Rust alone.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Make one call, show request and answer, say how long the test takes, and exit."),
]
Commit = Annotated[
    str | None,
    typer.Option(
        "--commit",
        metavar="COMMIT",
        help="Commit or version of what is measured, for `callbench history --by commit`. HEAD: that of the current"
        " folder. Default: none is kept.",
    ),
]
Think = Annotated[
    float,
    typer.Option(
        "--think",
        min=0,
        max=1e6,
        metavar="MS",
        help="Milliseconds that a client waits between an answer and its next call.",
    ),
]
Undecided = Annotated[
    str | None,
    typer.Option(
        "--undecided",
        metavar="pass|fail",
        help="Exit code of an undecided result: 0 for pass, 1 for fail. Default: 3.",
    ),
]

GeneratorHosts = Annotated[
    str | None,
    typer.Option(
        "--hosts",
        metavar="NAME,NAME,...",
        help="Hosts of the clients: names of `callbench hosts list`, or ssh:USER@HOST. They share the load."
        " Default: `load` in [hosts] of --study, else this machine.",
    ),
]
