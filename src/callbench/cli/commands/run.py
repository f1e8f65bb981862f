"""`callbench run`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import names
from callbench.cli.options.parameters import AsJson, Commit, Languages, Select, Settings
from callbench.cli.outcome.output import known_stacks, say_who_measures
from callbench.model import quantities
from callbench.model.errors import BadInput
from callbench.model.secrets import SECRETS


def command(  # noqa: PLR0913, PLR0917 - the options a person has
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            autocompletion=names.studies,
            help="Study to measure: a name of `callbench list studies`, or a file.",
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure with fewer forks and rounds: less time, wider intervals.")
    ] = False,
    select: Select = None,
    settings: Settings = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the run. Default: runs/STUDY-TIME.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in the folder of --out.")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of the random order. Default: a new one.")
    ] = None,
    forks: Annotated[
        int | None,
        typer.Option(
            "--forks",
            min=1,
            max=1000,
            help="Exact number of forks (fresh starts of every stack). Default: the study's, more if there is time.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="2%",
            help="Continue until the interval of each rate is this narrow (half-width). Default: no such target.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="10m", help="Time limit for measuring. Default: the minutes of the study."),
    ] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Slow each side of each cell by 5 % to check that the rate follows.")
    ] = False,
    hold_idle: Annotated[
        bool, typer.Option("--hold-idle", help="Keep processors out of deep idle states during the run. Needs root.")
    ] = False,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar='"p99 under 5 ms"',
            help="Find the highest rate that meets this latency objective. Default: only where the study asks for it.",
        ),
    ] = None,
    no_baselines: Annotated[
        bool,
        typer.Option("--no-baselines", help="Skip the baseline of each channel. Overheads are then not reported."),
    ] = False,
    pcap: Annotated[
        bool, typer.Option("--pcap", help="Keep the packet captures of the wire ledger in the run folder.")
    ] = False,
    link: Annotated[
        str | None,
        typer.Option(
            "--link",
            metavar="LINK",
            autocompletion=names.links,
            help="Network link of all cells: a name of `callbench list links`. With --hosts, it lies between them."
            " Default: as the study says.",
        ),
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option(
            "--hosts",
            metavar="SERVER,CLIENT,...",
            help="Hosts of server and clients: names of `callbench hosts list`, or ssh:USER@HOST. Several hosts share"
            " the clients of each cell. Default: this machine, or as the study says.",
        ),
    ] = None,
    languages: Languages = None,
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="SECONDS|none",
            envvar="CALLBENCH_WARM_UP",
            help="Limit of each warm-up. Default: 60 s if a runtime compiles. A cell that is not steady has no rank.",
        ),
    ] = None,
    commit: Commit = None,
    keep_secrets: Annotated[
        bool, typer.Option("--keep-secrets", help="Keep secrets of the study's servers in the record. Default: masked.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be measured and how long it takes, and exit.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the cells of a study and rank its stacks.

    Prints rankings, tables and claims, and writes a page. Exit code 1: something failed, or nothing was measured.
    """
    from callbench.cli.recorded.command import NO_OTHER_COMMIT
    from callbench.runner.machine import checkout, real_hosts
    from callbench.runner.plan import own_service
    from callbench.runner.run import launch
    from callbench.store.record import Record
    from callbench.store.stopping import Stopped

    SECRETS.keep = keep_secrets
    known = known_stacks()
    if resume and commit is not None:
        raise BadInput(NO_OTHER_COMMIT)
    if resume and dry_run:
        raise BadInput("--dry-run is for a run that has not begun: --resume says what is left before it goes on")
    if not dry_run:
        say_who_measures()
    if resume:
        path = launch.folder_to_resume(out, study)
    else:
        request = launch.RunRequest(
            study=study,
            quick=quick,
            select=select or [],
            settings=launch.settings_of(settings or []),
            seed=seed,
            forks=forks,
            out=out,
            baselines=not no_baselines,
            link=link,
            warm_up_s=quantities.warm_up(warm_up),
            pcap=pcap,
            confirm=confirm,
            hold_idle=hold_idle,
            objective=objective,
            languages=own_service.languages(languages),
            hosts=None if hosts is None else real_hosts.read(hosts),
            until=None if until is None else quantities.share(until, "--until"),
            commit=checkout.commit(commit),
            budget_s=None if budget is None else quantities.seconds(budget, "--budget"),
        )
        if dry_run:
            from callbench.cli.outcome import run_result

            run_result.show_preview(launch.preview(request, known), as_json=as_json)
            return
        path = launch.create_run(request, known)
    stopped: Stopped | None = None
    try:
        finished = launch.execute_run(path, known, resumed=resume)
    except Stopped as stop:
        # A person who stops it wants the results so far.
        stop.record = None
        stopped, finished = stop, Record(path)
    # What shows a run is loaded behind its last trial, and not before the first.
    from callbench.analysis.run.completeness import shortcomings
    from callbench.cli.outcome import run_result

    run_result.show(finished, as_json=as_json)
    if stopped is not None:
        raise stopped
    if sentences := shortcomings(finished):
        print(*(f"callbench: {sentence}" for sentence in sentences), sep="\n", file=sys.stderr)  # noqa: T201
        raise typer.Exit(1)
