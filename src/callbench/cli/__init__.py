"""The command line: arguments to calls, and what they return to the terminal. No logic."""

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from callbench.analysis.completeness import shortcomings
from callbench.catalog.links import profile
from callbench.catalog.study import load as load_study
from callbench.cli import listing, stability
from callbench.cli import peer as peers
from callbench.cli.compare import compare
from callbench.cli.load import load
from callbench.cli.output import AsJson, console, known_stacks, print_json, show_rows, tell
from callbench.cli.verify import verify
from callbench.model import quantities
from callbench.model.errors import BadInput, CallbenchError
from callbench.model.version import VERSION
from callbench.runner import doctor as examination
from callbench.runner import launch
from callbench.runner import serve as serving
from callbench.runner.launch import Wish
from callbench.runner.stopping import Stopped
from callbench.store import query as queries
from callbench.store.run import Run

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

links_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Links between two hosts.")
app.add_typer(links_app, name="link")
stability.add_to(app)
peers.add_to(app)

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="a run folder, or a load's file")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"callbench {VERSION}")  # noqa: T201
        raise typer.Exit


@app.callback()
def callbench(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="say which version this is")
    ] = False,
) -> None:
    """Measure remote calls: every message format over every channel, on this machine."""


@app.command("list")
def list_(
    what: Annotated[str, typer.Argument(metavar="stacks|calls|studies|links")],
    as_json: AsJson = False,
    instruments: Annotated[
        bool, typer.Option("--instruments", help="stacks that measure Callbench itself, too")
    ] = False,
) -> None:
    """Say what there is."""
    match what:
        case "stacks":
            show_rows(
                listing.stacks(known_stacks(), instruments=instruments),
                ("id", "message", "channel", "language", "library", "version", "available", "why_not"),
                as_json,
            )
        case "calls":
            show_rows(list(listing.CALLS), ("call", "arguments", "answer"), as_json)
        case "studies":
            show_rows(listing.studies(), ("study", "title", "parameters", "why_not"), as_json)
        case "links":
            show_rows(listing.links(), ("link", "to_server", "to_client", "maker", "about", "why_not"), as_json)
        case _:
            raise BadInput(f"there is no list of {what!r}: stacks, calls, studies, links are")


@app.command()
def run(  # noqa: PLR0913, PLR0917 - the options a person has
    study: Annotated[str, typer.Argument(metavar="STUDY", help="a name of `list studies`, or a file")],
    quick: Annotated[bool, typer.Option("--quick", help="fewer forks and rounds, less time")] = False,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="[KEY=]GLOB", help="stack, message, channel, call, group, clients, link"),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="a parameter of the study")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="the run folder")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the run in --out")] = False,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="of the random order")] = None,
    forks: Annotated[
        int | None,
        typer.Option("--forks", min=1, max=1000, help="exactly so many fresh starts of every stack, and no more"),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="2%", help="go on until the interval of each rate is so narrow")
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="10m", help="time for measuring; default: the study's minutes")
    ] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="make each side of each cell 5 % slower: does the rate follow?")
    ] = False,
    hold_idle: Annotated[
        bool, typer.Option("--hold-idle", help="keep the machine's processors from idling deeply meanwhile (root)")
    ] = False,
    objective: Annotated[
        str | None, typer.Option("--objective", metavar='"p99 under 5 ms"', help="find the highest rate that meets it")
    ] = None,
    no_floors: Annotated[
        bool, typer.Option("--no-floors", help="leave out what each channel takes without a message: no tax then")
    ] = False,
    pcap: Annotated[bool, typer.Option("--pcap", help="keep the wire ledger's captures in the run folder")] = False,
    link: Annotated[
        str | None, typer.Option("--link", metavar="LINK", help="what every cell lies over: a name of `list links`")
    ] = None,
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="SECONDS|none",
            envvar="CALLBENCH_WARM_UP",
            help="limit of each warm-up; default 60 s where a runtime compiles. What is not steady then has no rank",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what would be measured and how long it takes, and end")
    ] = False,
) -> None:
    """Measure a study, print its tables and claims, and write its page. Exit code 1: something failed."""
    known = known_stacks()
    if resume and dry_run:
        raise BadInput("--dry-run is for a run that has not begun: --resume says what is left before it goes on")
    if resume:
        path = launch.to_resume(out, study)
    else:
        wish = Wish(
            study, quick, select or [], launch.settings_of(settings or []), seed, forks, out, not no_floors,
            link=link, warm_up_s=quantities.warm_up(warm_up), pcap=pcap, confirm=confirm, hold_idle=hold_idle,
            objective=objective,
            until=None if until is None else quantities.share(until, "--until"),
            budget_s=None if budget is None else quantities.seconds(budget, "--budget"),
        )  # fmt: skip
        if dry_run:
            print("\n".join(launch.foretold(wish, known)))  # noqa: T201
            return
        path = launch.begin(wish, known)
    try:
        finished = launch.go_on(path, known, resumed=resume)
    except Stopped:
        # Whoever stops it wants to know what is known by then.
        _summary(Run(path))
        raise
    _summary(finished)
    if sentences := shortcomings(finished):
        print(*(f"callbench: {sentence}" for sentence in sentences), sep="\n", file=sys.stderr)  # noqa: T201
        raise typer.Exit(1)


def _summary(run: Run) -> None:
    """Prints what a run found so far and writes its page; nothing where nothing was measured."""
    from callbench import report as reports  # noqa: PLC0415 - statistics are slow to load
    from callbench.analysis.subject import subject  # noqa: PLC0415

    found = subject(run)
    if any(one.calls for one in found.results.cells) or run.info["state"] == "finished":
        reports.print_summary(found, console())
        print(f"page: {reports.write(found, 'html')}\nrun:  {run.path}")  # noqa: T201


@links_app.command("try")
def try_(
    link: Annotated[str, typer.Argument(metavar="LINK", help="a name of `list links`")],
    study: Annotated[str | None, typer.Option("--study", help="the study whose own link it is")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="how long each thing is measured")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Make a link and measure what it does: delay, rate, losses, beside what its profile asks."""
    from callbench.adapter.network import trial  # noqa: PLC0415 - statistics are slow to load

    own = load_study(study).part.links if study else {}
    found = list(trial.tried(profile.find(link, own), seconds))
    if as_json:
        print_json([finding.record() for finding in found])
    else:
        show_rows([finding.row() for finding in found], ("what", "asked", "measured"), as_json)


@app.command()
def show(path: RunFolder, as_json: AsJson = False) -> None:
    """Show what was kept: a run's cells, a comparison, a load, a soak, an overload, a torture."""
    from callbench.report import records  # noqa: PLC0415 - statistics are slow to load

    if as_json:
        print_json(records.as_record(path))
    else:
        records.show(path, console())


@app.command()
def report(
    path: RunFolder,
    form: Annotated[str, typer.Option("--format", metavar="html|md|csv|json")] = "html",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE")] = None,
) -> None:
    """Write the report of what was kept."""
    from callbench.report import records  # noqa: PLC0415 - statistics are slow to load

    print(records.write(path, form, out))  # noqa: T201


@app.command()
def exchange(
    path: RunFolder,
    stacks: Annotated[list[str] | None, typer.Argument(metavar="STACK...")] = None,
    group: Annotated[str | None, typer.Option("--group", help="of the study; else each stack's first")] = None,
) -> None:
    """Show how a call travelled, packet by packet, from a run made with --pcap (needs tshark)."""
    from callbench.runner.wire import exchange as exchanged  # noqa: PLC0415 - statistics are slow to load

    for text in exchanged.exchanges(Run(path), stacks or [], group):
        print(text, end="\n\n")  # noqa: T201


app.command()(verify)


@app.command()
def serve(  # noqa: PLR0913, PLR0917 - the options a person has
    stacks: Annotated[
        list[str] | None, typer.Argument(metavar="STACK...", help="names or globs; each in a process of its own")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="every native stack, in one process")] = False,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="the first one; stacks and channels of HTTP after it; 0: free ones")
    ] = 0,
    channels: Annotated[str, typer.Option(metavar="A,B", help="of --all: those switched on; all unless given")] = "",
    options: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="of the stacks' servers, in JSON")
    ] = None,
    exposed: Annotated[bool, typer.Option("--i-know-what-i-expose", help="allow a --host that others reach")] = False,
) -> None:
    """Serve stacks, for a client of your own."""
    where = serving.checked_host(host, exposed=exposed)
    wanted = [channel for channel in channels.split(",") if channel]
    request = serving.Request(stacks or [], every, where, port, wanted, launch.values_of(options or [], "--option"))
    serving.serve(known_stacks(), request, tell)


app.command()(compare)
app.command()(load)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what this machine can run, what is missing, and the command that brings it."""
    rows = [finding.record() for finding in examination.findings(known_stacks(quiet=True))]
    show_rows(rows, ("subject", "state", "found", "remedy"), as_json)


@app.command()
def query(path: RunFolder, sql: Annotated[str, typer.Argument(metavar="SQL")], as_json: AsJson = False) -> None:
    """Ask a run's tables in SQL (DuckDB): cells, trials, histograms, intervals, codecs, floors, excluded, visits."""
    columns, rows = queries.answered(Run(path), sql)
    show_rows([dict(zip(columns, row, strict=True)) for row in rows], columns, as_json)


def main() -> NoReturn:
    """Runs the program. What goes wrong is one sentence on stderr."""
    try:
        app(prog_name="callbench", standalone_mode=True)
    except CallbenchError as failure:
        _end(str(failure), failure.exit_code)
    except KeyboardInterrupt:
        _end("stopped", 130)
    except BrokenPipeError:
        # Whoever read our output has gone: nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as failure:
        if os.environ.get("CALLBENCH_TRACEBACK"):
            raise
        what = " ".join(f"{type(failure).__name__}: {failure}".split())
        _end(f"this is a mistake in Callbench itself: {what} (CALLBENCH_TRACEBACK=1 shows where)", 70)
    sys.exit(0)


def _end(sentence: str, code: int) -> NoReturn:
    print(f"callbench: {sentence}", file=sys.stderr)  # noqa: T201
    sys.exit(code)
