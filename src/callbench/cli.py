"""The command line: arguments to calls, and what they return to the terminal. No logic."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from callbench import catalogue, launch, links, listing, placement, quantities
from callbench import doctor as examination
from callbench import query as queries
from callbench import serve as serving
from callbench.errors import BadInput, CallbenchError
from callbench.external import given
from callbench.launch import Wish
from callbench.peer import commands as peers
from callbench.stability import commands as stability
from callbench.store import Run
from callbench.study import load
from callbench.verify import show as verdicts
from callbench.verify import suite
from callbench.version import VERSION

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
AsJson = Annotated[bool, typer.Option("--json", help="for programs")]
ServerPath = Annotated[
    str | None, typer.Option("--path", metavar="/PATH", help="of a server that is given as a command with {port}")
]
ServerAnswer = Annotated[
    str | None, typer.Option("--expect-body", help="what a server given as a command or a URL must answer")
]
Undecided = Annotated[
    str | None, typer.Option("--undecided", metavar="pass|fail", help="what undecided ends with; exit code 3 if unsaid")
]


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
            _rows(
                listing.stacks(_catalogue(), instruments=instruments),
                ("id", "message", "channel", "language", "library", "version", "available", "why_not"),
                as_json,
            )
        case "calls":
            _rows(list(listing.CALLS), ("call", "arguments", "answer"), as_json)
        case "studies":
            _rows(listing.studies(), ("study", "title", "parameters", "why_not"), as_json)
        case "links":
            _rows(listing.links(), ("link", "to_server", "to_client", "usable", "about", "why_not"), as_json)
        case _:
            raise BadInput(f"there is no list of {what!r}: stacks, calls, studies, links are")


@app.command()
def run(  # noqa: PLR0913, PLR0917 - the options a person has
    study: Annotated[str, typer.Argument(metavar="STUDY", help="a name of `list studies`, or a file")],
    quick: Annotated[bool, typer.Option("--quick", help="fewer blocks, shorter trials")] = False,
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
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, max=1000, help="how often each cell is measured")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="2%", help="blocks until each is so sure")] = None,
    budget: Annotated[str | None, typer.Option("--budget", metavar="10m", help="time; a play-off last")] = None,
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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what would be measured and how long it takes, and end")
    ] = False,
) -> None:
    """Measure a study, print its tables and claims, and write its page."""
    known = _catalogue()
    if resume and dry_run:
        raise BadInput("--dry-run is for a run that has not begun: --resume says what is left before it goes on")
    if resume:
        path = launch.to_resume(out, study)
    else:
        wish = Wish(
            study, quick, select or [], launch.settings_of(settings or []), seed, blocks, out, not no_floors,
            link=link, pcap=pcap, confirm=confirm, hold_idle=hold_idle,
            objective=objective,
            until=None if until is None else quantities.share(until, "--until"),
            budget_s=None if budget is None else quantities.seconds(budget, "--budget"),
        )  # fmt: skip
        if dry_run:
            print("\n".join(launch.foretold(wish, known)))  # noqa: T201
            return
        path = launch.begin(wish, known)
    finished = launch.go_on(path, known, resumed=resume)
    from callbench import report as reports  # noqa: PLC0415 - statistics are slow to load
    from callbench.report.subject import subject  # noqa: PLC0415

    found = subject(finished)
    reports.print_summary(found, _console())
    page = reports.write(found, "html")
    print(f"page: {page}\nrun:  {path}")  # noqa: T201


@links_app.command("try")
def try_(
    link: Annotated[str, typer.Argument(metavar="LINK", help="a name of `list links`")],
    study: Annotated[str | None, typer.Option("--study", help="the study whose own link it is")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="how long each thing is measured")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Make a link and measure what it does: delay, rate, losses, beside what its profile asks."""
    from callbench.links import trial  # noqa: PLC0415 - statistics are slow to load

    own = load(study).part.links if study else {}
    found = list(trial.tried(links.find(link, own), seconds))
    if as_json:
        _print_json([finding.record() for finding in found])
    else:
        _rows([finding.row() for finding in found], ("what", "asked", "measured"), as_json)


@app.command()
def show(path: RunFolder, as_json: AsJson = False) -> None:
    """Show what was kept: a run's cells, a comparison, a load, a soak, an overload, a torture."""
    from callbench import records  # noqa: PLC0415 - statistics are slow to load

    if as_json:
        _print_json(records.as_record(path))
    else:
        records.show(path, _console())


@app.command()
def report(
    path: RunFolder,
    form: Annotated[str, typer.Option("--format", metavar="html|md|csv|json")] = "html",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE")] = None,
) -> None:
    """Write the report of what was kept."""
    from callbench import records  # noqa: PLC0415 - statistics are slow to load

    print(records.write(path, form, out))  # noqa: T201


@app.command()
def exchange(
    path: RunFolder,
    stacks: Annotated[list[str] | None, typer.Argument(metavar="STACK...")] = None,
    group: Annotated[str | None, typer.Option("--group", help="of the study; else each stack's first")] = None,
) -> None:
    """Show how a call travelled, packet by packet, from a run made with --pcap (needs tshark)."""
    from callbench.wire import exchange as exchanged  # noqa: PLC0415 - statistics are slow to load

    for text in exchanged.exchanges(Run(path), stacks or [], group):
        print(text, end="\n\n")  # noqa: T201


@app.command()
def verify(  # noqa: PLR0913, PLR0917 - the options a person has
    stacks: Annotated[list[str] | None, typer.Argument(metavar="STACK...")] = None,
    every: Annotated[bool, typer.Option("--all", help="every stack that can run here")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="a line a check, not only failures")] = False,
    only: Annotated[str | None, typer.Option("--check", metavar="GLOB", help="only these, such as 'lost/*'")] = None,
    study: Annotated[str | None, typer.Option("--study", help="whose [servers] are stacks, too")] = None,
    path: ServerPath = None,
    expect: ServerAnswer = None,
    as_json: AsJson = False,
) -> None:
    """Hold stacks against the contract: every call, every fault, counts, times, manners, a server that is lost."""
    known = _catalogue()
    if study is not None:
        of_study = load(study)
        known = given.added(known, of_study.part.servers, of_study.path)
    known, names = given.named(known, stacks or [], path, {} if expect is None else {"expect_body": expect})
    outcomes = suite.of(known, names, every=every, placement=placement.placed(), only=only)
    seen = verdicts.told(outcomes, Console(quiet=as_json), every=verbose)
    if as_json:
        print(verdicts.as_json(seen))  # noqa: T201
    if known.broken or any(outcome.fails for outcome in seen):
        raise typer.Exit(1)


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
    serving.serve(_catalogue(), request, _tell)


@app.command()
def compare(  # noqa: PLR0913, PLR0917 - the options a person has
    a: Annotated[str, typer.Argument(metavar="A", help="a stack, STACK@BUILD, an adapter's folder, or a run")],
    b: Annotated[str | None, typer.Argument(metavar="[B]", help="what is held against it")] = None,
    calls: Annotated[list[str] | None, typer.Option("--call", metavar="CALL[:NAME=VALUE,...]")] = None,
    study: Annotated[str | None, typer.Option("--study", help="take the calls of a study's groups")] = None,
    groups: Annotated[list[str] | None, typer.Option("--group", help="only these groups of --study")] = None,
    clients: Annotated[list[int] | None, typer.Option("--clients", min=1, max=10_000)] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="of calls a cell, both sides together")] = 5.0,
    rounds: Annotated[int, typer.Option("--rounds", min=2, max=1000, help="how often both start afresh")] = 10,
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
    path: ServerPath = None,
    expect: ServerAnswer = None,
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="for a pull request")] = False,
) -> None:
    """Compare two stacks, two builds or two runs. Exit code: 0 passed, 1 B is worse than allowed, 3 undecided."""
    from callbench import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.compare import command, live, show, verdicts  # noqa: PLC0415

    exit_code.checked(undecided)
    limits = command.given(level, threshold, p99_threshold)
    strict = limits.over(verdicts.Rule())
    wish = live.Wish(
        a, b or "", calls or [], study, groups or [], clients or [], seconds, rounds,
        strict.level, strict.threshold, strict.p99_threshold, seed, out,
        path, {} if expect is None else {"expect_body": expect},
    )  # fmt: skip
    found = command.found(a, b, wish, limits, _catalogue())
    if as_json:
        _print_json(show.record(found))
    elif markdown:
        print(show.markdown(found), end="")  # noqa: T201
    else:
        show.print_comparison(found, _console())
    exit_code.end(found.outcome, undecided)


@app.command(name="load")
def load_(  # noqa: PLR0913, PLR0917 - the options a person has
    url: Annotated[
        str,
        typer.Argument(metavar="[URL]", help="a server of your own: http://127.0.0.1:8080/path", show_default=False),
    ] = "",
    start: Annotated[
        str | None, typer.Option("--start", metavar="COMMAND", help="start the server: 'COMMAND {port}'")
    ] = None,
    path: ServerPath = None,
    clients: Annotated[int, typer.Option("--clients", min=1, max=65_536)] = 50,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0.1, max=1e6, help="10 unless --calls")] = None,
    calls: Annotated[int | None, typer.Option("--calls", min=1, help="how many, over all clients")] = None,
    rate: Annotated[float | None, typer.Option("--rate", min=0.01, max=1e7, help="arrivals/s: an open loop")] = None,
    poisson: Annotated[bool, typer.Option("--poisson", help="arrivals at random, not evenly spaced")] = False,
    think: Annotated[float, typer.Option("--think", min=0, max=1e6, metavar="MS", help="between two calls")] = 0.0,
    warm_up: Annotated[float, typer.Option("--warm-up", min=0, max=1e4, metavar="SECONDS")] = 0.0,
    http2: Annotated[bool, typer.Option("--http2", help="HTTP/2: with prior knowledge, or agreed on in TLS")] = False,
    grpc: Annotated[
        bool, typer.Option("--grpc", help="unary calls; the URL's path is /package.Service/Method")
    ] = False,
    streams: Annotated[int | None, typer.Option("--streams", min=1, help="clients that share a connection; 1")] = None,
    method: Annotated[str | None, typer.Option("--method", help="GET unless given; POST with a body")] = None,
    header: Annotated[list[str] | None, typer.Option("--header", "-H", metavar="'NAME: VALUE'")] = None,
    body: Annotated[str | None, typer.Option("--body", help="with {number}, {client}, {random}")] = None,
    body_file: Annotated[Path | None, typer.Option("--body-file", exists=True, dir_okay=False)] = None,
    body_hex: Annotated[str | None, typer.Option("--body-hex", help="octets, two digits each")] = None,
    plain: Annotated[bool, typer.Option("--no-variables", help="send {number} and its like as they are")] = False,
    status: Annotated[list[int] | None, typer.Option("--expect-status", help="200 to 299 unless given")] = None,
    expect: Annotated[str | None, typer.Option("--expect-body", help="octet by octet, in every answer")] = None,
    expect_file: Annotated[Path | None, typer.Option("--expect-body-file", exists=True, dir_okay=False)] = None,
    expect_hex: Annotated[str | None, typer.Option("--expect-body-hex", help="octets, two digits each")] = None,
    expect_json: Annotated[
        list[str] | None, typer.Option("--expect-json", metavar="PATH[=VALUE]", help="in every body: '$.user.name=x'")
    ] = None,
    expect_match: Annotated[str | None, typer.Option("--expect-match", metavar="REGEX", help="in every body")] = None,
    schema: Annotated[
        Path | None,
        typer.Option("--expect-schema-file", exists=True, dir_okay=False, help="a JSON Schema of every body"),
    ] = None,
    close: Annotated[bool, typer.Option("--no-keep-alive", help="a connection for each call")] = False,
    timeout: Annotated[float, typer.Option("--timeout", min=0.001, max=3600, metavar="SECONDS")] = 10.0,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="of the driver")] = 1,
    certificates: Annotated[Path | None, typer.Option("--certificates", help="who may sign the server's")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="take any certificate")] = False,
    pid: Annotated[int | None, typer.Option("--pid", min=1, help="the server's process, to watch it")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="the record; runs/load-TIME.json")] = None,
    as_json: AsJson = False,
) -> None:
    """Put any HTTP server under load: rate, latencies, errors by kind, and what limited it."""
    from callbench.load import driving, live, told, wish  # noqa: PLC0415 - statistics are slow to load

    asked = wish.request(
        method=method or ("POST" if body is not None or body_file or body_hex is not None else None), body_hex=body_hex,
        headers=wish.headers(header or []), body=body, body_file=body_file and str(body_file.absolute()),
        variables=False if plain else None, expect_status=status or [], expect_body=expect,
        expect_body_file=expect_file and str(expect_file.absolute()), expect_body_hex=expect_hex,
        expect_match=expect_match, expect_schema_file=schema and str(schema.absolute()),
        **wish.expected_json(expect_json or []),
        keep_alive=False if close else None, streams=streams,
        certificates=certificates and str(certificates.absolute()), insecure=insecure or None,
    )  # fmt: skip
    wanted = wish.Wish(
        url, clients, seconds, calls, rate, poisson, think, warm_up, timeout, threads, pid, asked, out, start, path,
        wish.protocol(http2=http2, grpc=grpc),
    )  # fmt: skip
    with live.Line(wanted, quiet=as_json) as line:
        found = driving.driven(wanted, line.tells)
    if as_json:
        _print_json(told.record(found))
    else:
        told.show(found, _console())
    if not found.done["calls"]:
        raise typer.Exit(1)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what this machine can run, what is missing, and the command that brings it."""
    rows = [finding.record() for finding in examination.findings(_catalogue(quiet=True))]
    _rows(rows, ("subject", "state", "found", "remedy"), as_json)


@app.command()
def query(path: RunFolder, sql: Annotated[str, typer.Argument(metavar="SQL")], as_json: AsJson = False) -> None:
    """Ask a run's tables in SQL (DuckDB): cells, trials, histograms, intervals, codecs, floors, excluded, visits."""
    columns, rows = queries.answered(Run(path), sql)
    _rows([dict(zip(columns, row, strict=True)) for row in rows], columns, as_json)


def _catalogue(*, quiet: bool = False) -> catalogue.Catalogue:
    known = catalogue.load()
    for sentence in () if quiet else known.broken:
        print(f"callbench: {sentence}", file=sys.stderr)  # noqa: T201
    return known


def _tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def _rows(rows: list[dict[str, Any]], columns: tuple[str, ...] | list[str], as_json: bool) -> None:
    if as_json:
        _print_json(rows)
    else:
        listing.table(rows, columns).print(_console(1000))


def _console(width: int = 160) -> Console:
    """Where nobody watches, lines are not cut to the width of a window."""
    return Console() if sys.stdout.isatty() else Console(width=width)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False, default=str))  # noqa: T201


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
